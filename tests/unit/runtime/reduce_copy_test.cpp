#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "launching.h"

using namespace penstock;
using namespace penstock::runtime;
using program::Attributes;
using program::Kernel;

namespace {
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
using Integers = std::vector<std::int64_t>;

Attributes dims(Integers list) {
  return {{"dims", list}, {"keep", false}};
}
Attributes dim(std::int64_t d) {
  return {{"dim", d}, {"keep", false}};
}

template <class T>
std::vector<T> reduce(Kernel kernel, Tensor<T> x, Integers over, Integers shape) {
  Tensor<T> out(std::move(shape));
  REQUIRE(Launcher().kernel(kernel, dims(std::move(over)), {x.view()}, {out.view()}).ok());
  return out.values;
}
}  // namespace

TEST_CASE("a sum runs over leading, trailing, middle and all dimensions") {
  const Tensor<float> x({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(reduce(Kernel::reduce_sum, x, {0}, {3, 2}) == std::vector<float>{8, 10, 12, 14, 16, 18});
  CHECK(reduce(Kernel::reduce_sum, x, {2}, {2, 3}) == std::vector<float>{3, 7, 11, 15, 19, 23});
  CHECK(reduce(Kernel::reduce_sum, x, {1}, {2, 2}) == std::vector<float>{9, 12, 27, 30});
  CHECK(reduce(Kernel::reduce_sum, x, {0, 1}, {2}) == std::vector<float>{36, 42});
  CHECK(reduce(Kernel::reduce_sum, x, {0, 2}, {3}) == std::vector<float>{18, 26, 34});
  CHECK(reduce(Kernel::reduce_sum, x, {0, 1, 2}, {}) == std::vector<float>{78});
  CHECK(reduce(Kernel::reduce_sum, x, {}, {2, 3, 2}) == x.values);
  CHECK(reduce(Kernel::reduce_max, x, {0}, {3, 2}) == std::vector<float>{7, 8, 9, 10, 11, 12});
  CHECK(reduce(Kernel::reduce_max, x, {1}, {2, 2}) == std::vector<float>{5, 6, 11, 12});
}

TEST_CASE("a sum of a million f32 is right to the last place") {
  Tensor<float> x({1000, 1001});
  for (float& v : x.values) v = 0.1f;
  const double each = static_cast<double>(0.1f);
  CHECK(reduce(Kernel::reduce_sum, x, {0, 1}, {})[0] == static_cast<float>(each * 1001000));
  for (float v : reduce(Kernel::reduce_sum, x, {0}, {1001})) {
    CHECK(v == static_cast<float>(each * 1000));
  }
}

TEST_CASE("long rows and columns of odd sizes agree with a plain loop") {
  const Tensor<float> x = wavy<float>({67, 301});
  const auto by_row = reduce(Kernel::reduce_sum, x, {1}, {67});
  const auto by_column = reduce(Kernel::reduce_sum, x, {0}, {301});
  std::vector<double> rows(67), columns(301);
  for (std::size_t r = 0; r < 67; ++r) {
    for (std::size_t c = 0; c < 301; ++c) {
      rows[r] += x.values[r * 301 + c];
      columns[c] += x.values[r * 301 + c];
    }
  }
  for (std::size_t r = 0; r < 67; ++r) CHECK(by_row[r] == static_cast<float>(rows[r]));
  for (std::size_t c = 0; c < 301; ++c) CHECK(by_column[c] == static_cast<float>(columns[c]));
}

TEST_CASE("reducing nothing gives the neutral element") {
  CHECK(reduce(Kernel::reduce_sum, Tensor<float>({0, 3}), {0}, {3}) == std::vector<float>{0, 0, 0});
  CHECK(reduce(Kernel::reduce_sum, Tensor<float>({3, 0}), {1}, {3}) == std::vector<float>{0, 0, 0});
  for (float v : reduce(Kernel::reduce_max, Tensor<float>({0, 2}), {0}, {2})) {
    CHECK(v == -std::numeric_limits<float>::infinity());
  }
  CHECK(reduce(Kernel::reduce_sum, Tensor<float>({0, 3}), {1}, {0}).empty());
}

TEST_CASE("a maximum lets a NaN through wherever it is") {
  for (std::size_t at = 0; at < 35; ++at) {
    Tensor<float> x({1, 35});
    x.values[at] = kNan;
    CHECK(std::isnan(reduce(Kernel::reduce_max, x, {1}, {1})[0]));
    CHECK(std::isnan(reduce(Kernel::reduce_max, x, {0}, {35})[at]));
  }
}

TEST_CASE("argmax gives the first of equal maxima, as i64") {
  Tensor<float> x({2, 4}, {1, 7, 7, 3, -5, -5, -9, -6});
  Tensor<std::int64_t> out({2}), down({4});
  Launcher launcher;
  REQUIRE(launcher.kernel(Kernel::reduce_argmax, dim(1), {x.view()}, {out.view()}).ok());
  CHECK(out.values == Integers{1, 0});
  REQUIRE(launcher.kernel(Kernel::reduce_argmax, dim(0), {x.view()}, {down.view()}).ok());
  CHECK(down.values == Integers{0, 0, 0, 0});
}

TEST_CASE("integer sums do not lose what a double would") {
  const Tensor<std::int64_t> x({2}, {(std::int64_t{1} << 60) + 1, 1});
  CHECK(reduce(Kernel::reduce_sum, x, {0}, {}) == Integers{(std::int64_t{1} << 60) + 2});
}

TEST_CASE("a transpose moves element [i,j,k] to the permuted place") {
  Tensor<float> x = wavy<float>({3, 40, 50}), out({50, 3, 40});
  const Attributes permutation = {{"permutation", Integers{2, 0, 1}}};
  REQUIRE(Launcher().kernel(Kernel::copy_transpose, permutation, {x.view()}, {out.view()}).ok());
  for (std::size_t k = 0; k < 50; ++k) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 40; ++j) {
        REQUIRE(out.values[(k * 3 + i) * 40 + j] == x.values[(i * 40 + j) * 50 + k]);
      }
    }
  }
}

TEST_CASE("a transpose works for elements of one byte and eight, and for no elements") {
  Tensor<std::uint8_t> a({2, 3}, {1, 2, 3, 4, 5, 6}), a_out({3, 2});
  Tensor<double> b({2, 3}, {1, 2, 3, 4, 5, 6}), b_out({3, 2}), none({0, 3}), none_out({3, 0});
  const Attributes swap = {{"permutation", Integers{1, 0}}};
  Launcher launcher;
  REQUIRE(launcher.kernel(Kernel::copy_transpose, swap, {a.view()}, {a_out.view()}).ok());
  CHECK(a_out.values == std::vector<std::uint8_t>{1, 4, 2, 5, 3, 6});
  REQUIRE(launcher.kernel(Kernel::copy_transpose, swap, {b.view()}, {b_out.view()}).ok());
  CHECK(b_out.values == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(launcher.kernel(Kernel::copy_transpose, swap, {none.view()}, {none_out.view()}).ok());
}

TEST_CASE("a broadcast puts operand dimensions where dims says") {
  Tensor<float> x({2}, {5, 6}), rows({2, 3}), columns({3, 2}), scalar({}, {9}), all({2, 2});
  Launcher launcher;
  const auto run = [&](Integers where, Tensor<float>& from, Tensor<float>& to) {
    const Attributes a = {{"dims", std::move(where)}, {"shape", to.extents}};
    REQUIRE(launcher.kernel(Kernel::copy_broadcast, a, {from.view()}, {to.view()}).ok());
    return to.values;
  };
  CHECK(run({0}, x, rows) == std::vector<float>{5, 5, 5, 6, 6, 6});
  CHECK(run({1}, x, columns) == std::vector<float>{5, 6, 5, 6, 5, 6});
  CHECK(run({}, scalar, all) == std::vector<float>{9, 9, 9, 9});
}

TEST_CASE("one_hot leaves a row of zeros for a label out of range") {
  Tensor<std::int64_t> labels({4}, {2, -1, 3, 0});
  Tensor<float> out({4, 3});
  REQUIRE(Launcher().kernel(Kernel::gather_one_hot, {}, {labels.view()}, {out.view()}).ok());
  CHECK(out.values == std::vector<float>{0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("pick gives x[i, labels[i]], and NaN for a label out of range") {
  Tensor<float> x({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), out({4});
  Tensor<std::int32_t> labels({4}, {1, 0, 2, -1});
  REQUIRE(
      Launcher().kernel(Kernel::gather_picked, {}, {x.view(), labels.view()}, {out.view()}).ok());
  CHECK(out.values[0] == 2);
  CHECK(out.values[1] == 3);
  CHECK(std::isnan(out.values[2]));
  CHECK(std::isnan(out.values[3]));
}

TEST_CASE("fills write the constant or the call's batch size") {
  Launcher launcher;
  launcher.batch_size(37);
  Tensor<double> out({3}), rows({});
  const Attributes value = {{"value", 0.25}};
  REQUIRE(launcher.kernel(Kernel::fill_constant, value, {}, {out.view()}).ok());
  CHECK(out.values == std::vector<double>{.25, .25, .25});
  REQUIRE(launcher.kernel(Kernel::fill_batch_size, {}, {}, {rows.view()}).ok());
  CHECK(rows.values[0] == 37);
}
