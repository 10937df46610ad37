#include "base/random.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace penstock;

// The known answers of Random123's kat_vectors for philox4x32-10.
TEST_CASE("philox gives the published known answers") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) ==
        std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        std::array<std::uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// The first outputs for seed 1234567, as published with the reference implementation.
TEST_CASE("splitmix64 gives the published sequence") {
  SeededRandom random(1234567);
  CHECK(random.next() == 6457827717110365317ULL);
  CHECK(random.next() == 3203168211198807973ULL);
  CHECK(random.next() == 9817491932198370423ULL);
}

TEST_CASE("below stays below and unit stays in [0, 1)") {
  SeededRandom random(7);
  for (int i = 0; i < 1000; ++i) {
    CHECK(random.below(3) < 3);
    const double u = random.unit();
    CHECK(u >= 0.0);
    CHECK(u < 1.0);
  }
}

TEST_CASE("philox normals have mean 0 and variance 1") {
  double sum = 0, squares = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double x = philox_normal(3, 1, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
  }
  // Five standard errors of the mean and of the variance.
  CHECK(std::abs(sum / kDraws) < 5 / std::sqrt(kDraws));
  CHECK(std::abs(squares / kDraws - 1) < 5 * std::sqrt(2.0 / kDraws));
}
