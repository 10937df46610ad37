#pragma once

#include <array>
#include <cstdint>

namespace penstock {

/// Where code draws random bits for decisions (back-off, simulation, shuffling). Not for secrets:
/// keys come from OpenSSL in base/net.
class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  /// Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [0, 1).
  double unit();
};

/// The same seed gives the same draws on every machine.
/// Source: splitmix64, Steele et al., OOPSLA 2014
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  /// Number `number` of the streams under a seed, which have nothing to do with one another. (Seeds
  /// that lie a multiple of this generator's step apart would give one sequence, shifted.)
  static SeededRandom stream(std::uint64_t seed, std::uint64_t number);
  std::uint64_t next() override;

 private:
  std::uint64_t state_;
};

/// Counter-based random bits: a pure function, so that a draw is the same under every plan.
/// Source: Philox-4x32-10, Salmon et al., SC 2011
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

/// The draw of element `index` of stream `stream` under `seed`: uniform in [0, 1), 53 bits.
double philox_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
/// Standard normal by Box-Muller on one Philox block.
double philox_normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

}  // namespace penstock
