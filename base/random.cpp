#include "base/random.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace penstock {
namespace {

std::array<std::uint32_t, 4> draw(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                 static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
}

double unit_from(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32) | low;
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

std::uint64_t Random::below(std::uint64_t bound) {
  PENSTOCK_CHECK(bound > 0);
  // Rejecting the short last interval keeps every value equally likely.
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  std::uint64_t bits = next();
  while (bits >= limit) bits = next();
  return bits % bound;
}

double Random::unit() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t SeededRandom::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

SeededRandom SeededRandom::stream(std::uint64_t seed, std::uint64_t number) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto bits =
      philox({low(number), low(number >> 32), 0, 0x73747265}, {low(seed), low(seed >> 32)});
  return SeededRandom(std::uint64_t{bits[1]} << 32 | bits[0]);
}

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * c[0];
    const std::uint64_t b = 0xCD9E8D57ULL * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return c;
}

double philox_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto bits = draw(seed, stream, index);
  return unit_from(bits[0], bits[1]);
}

double philox_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const auto bits = draw(seed, stream, index);
  const double radius = std::sqrt(-2.0 * std::log1p(-unit_from(bits[0], bits[1])));
  return radius * std::cos(2.0 * std::numbers::pi * unit_from(bits[2], bits[3]));
}

}  // namespace penstock
