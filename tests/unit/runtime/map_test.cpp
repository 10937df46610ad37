#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "launching.h"

using namespace penstock;
using namespace penstock::runtime;
using program::Kernel;

namespace {
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> binary(Kernel kernel, std::vector<float> a, std::vector<float> b) {
  const auto n = static_cast<std::int64_t>(a.size());
  Tensor<float> x({n}, std::move(a)), y({n}, std::move(b)), out({n});
  REQUIRE(Launcher().kernel(kernel, {}, {x.view(), y.view()}, {out.view()}).ok());
  return out.values;
}

std::vector<float> unary(Kernel kernel, std::vector<float> a) {
  const auto n = static_cast<std::int64_t>(a.size());
  Tensor<float> x({n}, std::move(a)), out({n});
  REQUIRE(Launcher().kernel(kernel, {}, {x.view()}, {out.view()}).ok());
  return out.values;
}
}  // namespace

TEST_CASE("arithmetic maps compute element by element") {
  CHECK(binary(Kernel::map_add, {1, 2, 3}, {10, 20, 30}) == std::vector<float>{11, 22, 33});
  CHECK(binary(Kernel::map_subtract, {1, 2, 3}, {10, 20, 30}) == std::vector<float>{-9, -18, -27});
  CHECK(binary(Kernel::map_multiply, {1, 2, 3}, {10, 20, 30}) == std::vector<float>{10, 40, 90});
  CHECK(binary(Kernel::map_divide, {1, 2, 3}, {2, 4, 8}) == std::vector<float>{.5f, .5f, .375f});
  CHECK(binary(Kernel::map_relu_gradient, {-1, 0, 2}, {5, 6, 7}) == std::vector<float>{0, 0, 7});
  CHECK(unary(Kernel::map_negate, {1, -2, 0.5f}) == std::vector<float>{-1, 2, -0.5f});
  CHECK(unary(Kernel::map_relu, {-1, 0, 2}) == std::vector<float>{0, 0, 2});
}

TEST_CASE("relu and maximum let a NaN through, at every position of a vector") {
  for (int at = 0; at < 37; ++at) {
    std::vector<float> x(37, -1.0f), zero(37, 0.0f);
    x[static_cast<std::size_t>(at)] = kNan;
    const auto relu = unary(Kernel::map_relu, x);
    const auto left = binary(Kernel::map_maximum, x, zero);
    const auto right = binary(Kernel::map_maximum, zero, x);
    for (int i = 0; i < 37; ++i) {
      const auto k = static_cast<std::size_t>(i);
      CHECK(std::isnan(relu[k]) == (i == at));
      CHECK(std::isnan(left[k]) == (i == at));
      CHECK(std::isnan(right[k]) == (i == at));
    }
  }
}

TEST_CASE("functions agree with the C library and keep infinities") {
  std::vector<float> x;
  for (int i = -40; i <= 40; ++i) x.push_back(static_cast<float>(i) / 4);
  const auto e = unary(Kernel::map_exp, x), t = unary(Kernel::map_tanh, x),
             s = unary(Kernel::map_sigmoid, x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i];
    CHECK(e[i] == doctest::Approx(std::exp(v)).epsilon(1e-6));
    CHECK(t[i] == doctest::Approx(std::tanh(v)).epsilon(1e-6));
    CHECK(s[i] == doctest::Approx(1 / (1 + std::exp(-v))).epsilon(1e-6));
  }
  const std::vector<float> edges(20, kInfinity), low(20, -kInfinity);
  for (float v : unary(Kernel::map_exp, edges)) CHECK(v == kInfinity);
  for (float v : unary(Kernel::map_exp, low)) CHECK(v == 0.0f);
  for (float v : unary(Kernel::map_sigmoid, edges)) CHECK(v == 1.0f);
  for (float v : unary(Kernel::map_sigmoid, low)) CHECK(v == 0.0f);
  for (float v : unary(Kernel::map_log, std::vector<float>(20, 0.0f))) CHECK(v == -kInfinity);
  for (float v : unary(Kernel::map_log, std::vector<float>(20, -1.0f))) CHECK(std::isnan(v));
  for (float v : unary(Kernel::map_sqrt, std::vector<float>(20, -1.0f))) CHECK(std::isnan(v));
  for (float v : unary(Kernel::map_exp, std::vector<float>(20, kNan))) CHECK(std::isnan(v));
}

TEST_CASE("a broadcast operand is read with stride 0") {
  Launcher launcher;
  Tensor<float> x = wavy<float>({3, 5}), row = wavy<float>({5}, 1), column = wavy<float>({3}, 2),
                scalar({}, {2}), out({3, 5});
  const auto check = [&](TensorView other, auto value) {
    REQUIRE(launcher.kernel(Kernel::map_subtract, {}, {x.view(), other}, {out.view()}).ok());
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 5; ++c) {
        CHECK(out.values[r * 5 + c] == x.values[r * 5 + c] - value(r, c));
      }
    }
    REQUIRE(launcher.kernel(Kernel::map_subtract, {}, {other, x.view()}, {out.view()}).ok());
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 5; ++c) {
        CHECK(out.values[r * 5 + c] == value(r, c) - x.values[r * 5 + c]);
      }
    }
  };
  check(row.strided({3, 5}, {0, 1}), [&](std::size_t, std::size_t c) { return row.values[c]; });
  check(column.strided({3, 5}, {1, 0}),
        [&](std::size_t r, std::size_t) { return column.values[r]; });
  check(scalar.strided({3, 5}, {0, 0}), [](std::size_t, std::size_t) { return 2.0f; });
}

TEST_CASE("a broadcast along the middle dimension reaches every element") {
  Tensor<double> x = wavy<double>({2, 3, 4}), y = wavy<double>({2, 4}, 3), out({2, 3, 4});
  REQUIRE(
      Launcher()
          .kernel(Kernel::map_add, {}, {x.view(), y.strided({2, 3, 4}, {4, 0, 1})}, {out.view()})
          .ok());
  for (std::size_t i = 0; i < 24; ++i) {
    CHECK(out.values[i] == x.values[i] + y.values[i / 12 * 4 + i % 4]);
  }
}

TEST_CASE("two threads give the same bits as one") {
  Tensor<float> x = wavy<float>({300, 401}), row = wavy<float>({401}, 1), a({300, 401}),
                b({300, 401});
  const auto wide = row.strided({300, 401}, {0, 1});
  REQUIRE(Launcher(1).kernel(Kernel::map_multiply, {}, {x.view(), wide}, {a.view()}).ok());
  REQUIRE(Launcher(2).kernel(Kernel::map_multiply, {}, {x.view(), wide}, {b.view()}).ok());
  CHECK(a.values == b.values);
}

TEST_CASE("a map may write over its own operand") {
  Tensor<float> x = wavy<float>({1000});
  const std::vector<float> before = x.values;
  REQUIRE(Launcher().kernel(Kernel::map_add, {}, {x.view(), x.view()}, {x.view()}).ok());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(x.values[i] == 2 * before[i]);
}

TEST_CASE("integer division by zero gives zero and never a signal") {
  Tensor<std::int32_t> a({4}, {7, -7, INT32_MIN, 5}), b({4}, {2, 2, -1, 0}), out({4});
  REQUIRE(Launcher().kernel(Kernel::map_divide, {}, {a.view(), b.view()}, {out.view()}).ok());
  CHECK(out.values == std::vector<std::int32_t>{3, -3, INT32_MIN, 0});
}

TEST_CASE("integer arithmetic wraps") {
  Tensor<std::int64_t> a({2}, {INT64_MAX, 3}), b({2}, {1, 4}), out({2});
  REQUIRE(Launcher().kernel(Kernel::map_add, {}, {a.view(), b.view()}, {out.view()}).ok());
  CHECK(out.values == std::vector<std::int64_t>{INT64_MIN, 7});
}

TEST_CASE("casts go towards zero, saturate, and make NaN 0") {
  Tensor<float> x({7}, {1.9f, -1.9f, 3e9f, -3e9f, kNan, kInfinity, 0});
  Tensor<std::int32_t> whole({7});
  Tensor<std::uint8_t> byte({7}), truth({7});
  truth.dtype = program::DType::boolean;
  Launcher launcher;
  REQUIRE(launcher.kernel(Kernel::map_cast, {}, {x.view()}, {whole.view()}).ok());
  CHECK(whole.values == std::vector<std::int32_t>{1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0});
  REQUIRE(launcher.kernel(Kernel::map_cast, {}, {x.view()}, {byte.view()}).ok());
  CHECK(byte.values == std::vector<std::uint8_t>{1, 0, 255, 0, 0, 255, 0});
  REQUIRE(launcher.kernel(Kernel::map_cast, {}, {x.view()}, {truth.view()}).ok());
  CHECK(truth.values == std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 0});
  Tensor<float> back({7});
  REQUIRE(launcher.kernel(Kernel::map_cast, {}, {byte.view()}, {back.view()}).ok());
  CHECK(back.values == std::vector<float>{1, 0, 255, 0, 0, 255, 0});
}

TEST_CASE("comparisons give bool, and select reads it") {
  Tensor<float> a({4}, {1, 2, 3, kNan}), b({4}, {1, 1, 4, kNan}), out({4});
  Tensor<std::uint8_t> mask({4});
  mask.dtype = program::DType::boolean;
  Launcher launcher;
  REQUIRE(launcher.kernel(Kernel::map_equal, {}, {a.view(), b.view()}, {mask.view()}).ok());
  CHECK(mask.values == std::vector<std::uint8_t>{1, 0, 0, 0});
  REQUIRE(launcher.kernel(Kernel::map_greater, {}, {a.view(), b.view()}, {mask.view()}).ok());
  CHECK(mask.values == std::vector<std::uint8_t>{0, 1, 0, 0});
  Tensor<float> low({}, {-5});
  REQUIRE(launcher
              .kernel(Kernel::map_select, {}, {mask.view(), a.view(), low.strided({4}, {0})},
                      {out.view()})
              .ok());
  CHECK(out.values == std::vector<float>{-5, 2, -5, -5});
}

TEST_CASE("an empty map does nothing and succeeds") {
  Tensor<float> x({0, 3}), scalar({}, {1}), out({0, 3});
  CHECK(Launcher()
            .kernel(Kernel::map_add, {}, {x.view(), scalar.strided({0, 3}, {0, 0})}, {out.view()})
            .ok());
}

TEST_CASE("an element type without kernels is refused by name") {
  Tensor<float> x({2}), out({2});
  TensorView half = x.view();
  half.dtype = program::DType::bf16;
  const Status status = Launcher().kernel(Kernel::map_exp, {}, {half}, {half});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::unimplemented);
  CHECK(status.error().message.find("bf16") != std::string::npos);
}
