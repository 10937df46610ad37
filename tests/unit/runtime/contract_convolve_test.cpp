#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "launching.h"

using namespace penstock;
using namespace penstock::runtime;
using program::Attributes;
using program::Kernel;

namespace {
using Integers = std::vector<std::int64_t>;

Attributes transposed(bool lhs, bool rhs) {
  return {{"transpose_lhs", lhs}, {"transpose_rhs", rhs}};
}

template <class T>
void check_matmul(std::int64_t m, std::int64_t n, std::int64_t k, bool tl, bool tr) {
  Tensor<T> a = wavy<T>(tl ? Integers{k, m} : Integers{m, k});
  Tensor<T> b = wavy<T>(tr ? Integers{n, k} : Integers{k, n}, 5);
  Tensor<T> out({m, n});
  for (T& v : out.values) v = std::numeric_limits<T>::quiet_NaN();  // must be overwritten
  REQUIRE(
      Launcher()
          .kernel(Kernel::contract_matmul, transposed(tl, tr), {a.view(), b.view()}, {out.view()})
          .ok());
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(a.values[static_cast<std::size_t>(tl ? p * m + i : i * k + p)]) *
               static_cast<double>(b.values[static_cast<std::size_t>(tr ? j * k + p : p * n + j)]);
      }
      REQUIRE(static_cast<double>(out.values[static_cast<std::size_t>(i * n + j)]) ==
              doctest::Approx(sum).epsilon(1e-5).scale(1));
    }
  }
}

struct Case {
  std::int64_t n, h, w, c, o, kh, kw, sh, sw;
  Integers padding;  // top bottom left right
  std::int64_t oh() const { return (h + padding[0] + padding[1] - kh) / sh + 1; }
  std::int64_t ow() const { return (w + padding[2] + padding[3] - kw) / sw + 1; }
  Attributes attributes() const { return {{"strides", Integers{sh, sw}}, {"padding", padding}}; }
};

/// All three tensors, and visiting every (image element, filter element, result element) that meet.
struct Naive {
  Case s;
  template <class F>
  void each(F f) const {
    for (std::int64_t n = 0; n < s.n; ++n)
      for (std::int64_t y = 0; y < s.oh(); ++y)
        for (std::int64_t x = 0; x < s.ow(); ++x)
          for (std::int64_t i = 0; i < s.kh; ++i)
            for (std::int64_t j = 0; j < s.kw; ++j) {
              const std::int64_t h = y * s.sh - s.padding[0] + i, w = x * s.sw - s.padding[2] + j;
              if (h < 0 || h >= s.h || w < 0 || w >= s.w) continue;
              for (std::int64_t c = 0; c < s.c; ++c)
                for (std::int64_t o = 0; o < s.o; ++o)
                  f(static_cast<std::size_t>(((n * s.h + h) * s.w + w) * s.c + c),
                    static_cast<std::size_t>(((i * s.kw + j) * s.c + c) * s.o + o),
                    static_cast<std::size_t>(((n * s.oh() + y) * s.ow() + x) * s.o + o));
            }
  }
};

template <class T>
void check_close(const std::vector<T>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    REQUIRE(static_cast<double>(got[i]) == doctest::Approx(want[i]).epsilon(1e-5).scale(1));
  }
}

template <class T>
void check_convolution(const Case& s, std::size_t scratch_bytes) {
  CAPTURE(s.h);
  CAPTURE(s.c);
  Launcher launcher;
  launcher.scratch_bytes(scratch_bytes);
  Tensor<T> images = wavy<T>({s.n, s.h, s.w, s.c}), filter = wavy<T>({s.kh, s.kw, s.c, s.o}, 3),
            results = wavy<T>({s.n, s.oh(), s.ow(), s.o}, 7);
  const Naive naive{s};
  const auto nan = std::numeric_limits<T>::quiet_NaN();

  Tensor<T> out({s.n, s.oh(), s.ow(), s.o});
  std::fill(out.values.begin(), out.values.end(), nan);
  std::vector<double> want(out.values.size());
  naive.each([&](std::size_t i, std::size_t f, std::size_t r) {
    want[r] += double(images.values[i]) * double(filter.values[f]);
  });
  REQUIRE(launcher
              .kernel(Kernel::convolve_forward, s.attributes(), {images.view(), filter.view()},
                      {out.view()})
              .ok());
  check_close(out.values, want);

  Tensor<T> dx({s.n, s.h, s.w, s.c});
  std::fill(dx.values.begin(), dx.values.end(), nan);
  want.assign(dx.values.size(), 0);
  naive.each([&](std::size_t i, std::size_t f, std::size_t r) {
    want[i] += double(results.values[r]) * double(filter.values[f]);
  });
  REQUIRE(launcher
              .kernel(Kernel::convolve_input_gradient, s.attributes(),
                      {results.view(), filter.view()}, {dx.view()})
              .ok());
  check_close(dx.values, want);

  Tensor<T> df({s.kh, s.kw, s.c, s.o});
  std::fill(df.values.begin(), df.values.end(), nan);
  want.assign(df.values.size(), 0);
  naive.each([&](std::size_t i, std::size_t f, std::size_t r) {
    want[f] += double(results.values[r]) * double(images.values[i]);
  });
  REQUIRE(launcher
              .kernel(Kernel::convolve_filter_gradient, s.attributes(),
                      {images.view(), results.view()}, {df.view()})
              .ok());
  check_close(df.values, want);
}
}  // namespace

TEST_CASE("matmul agrees with a plain loop for every transposition and odd sizes") {
  for (const bool tl : {false, true}) {
    for (const bool tr : {false, true}) {
      check_matmul<float>(1, 1, 1, tl, tr);
      check_matmul<float>(7, 13, 5, tl, tr);
      check_matmul<float>(33, 10, 65, tl, tr);
      check_matmul<double>(7, 13, 5, tl, tr);
      check_matmul<double>(1, 9, 40, tl, tr);
    }
  }
}

TEST_CASE("matmul with an empty side makes zeros or nothing") {
  for (const bool tl : {false, true}) {
    check_matmul<float>(3, 4, 0, tl, false);
    check_matmul<float>(0, 4, 3, tl, false);
    check_matmul<float>(3, 0, 4, tl, true);
    check_matmul<double>(3, 4, 0, tl, true);
    check_matmul<double>(0, 0, 0, tl, false);
  }
}

TEST_CASE("convolutions and their gradients agree with a plain loop") {
  const std::vector<Case> cases = {
      {2, 6, 6, 1, 32, 3, 3, 1, 1, {1, 1, 1, 1}},  {3, 5, 7, 3, 5, 3, 2, 1, 1, {0, 0, 0, 0}},
      {1, 9, 8, 16, 16, 3, 3, 2, 2, {1, 1, 1, 1}}, {2, 7, 7, 2, 4, 3, 3, 2, 3, {0, 2, 1, 0}},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, {0, 0, 0, 0}},   {2, 8, 8, 4, 8, 5, 5, 3, 3, {2, 2, 2, 2}},
  };
  for (const Case& s : cases) {
    check_convolution<float>(s, 4 << 20);
    check_convolution<double>(s, 4 << 20);
  }
}

TEST_CASE("a convolution in scratch of a single patch still gives the right values") {
  const Case s = {2, 6, 5, 3, 4, 3, 3, 1, 1, {1, 1, 1, 1}};
  check_convolution<double>(s, 27 * sizeof(double));
  check_convolution<float>(s, 27 * sizeof(float));
}

TEST_CASE("a convolution of no images makes a zero filter gradient") {
  const Case s = {0, 6, 6, 3, 4, 3, 3, 1, 1, {1, 1, 1, 1}};
  check_convolution<float>(s, 1 << 16);
  check_convolution<double>(s, 1 << 16);
}

TEST_CASE("the scratch that a convolution asks for is enough for it") {
  using program::TensorType;
  Launcher launcher;
  const Case s = {8, 14, 14, 32, 64, 3, 3, 1, 1, {1, 1, 1, 1}};
  const std::vector<TensorType> types = {{program::DType::f32, {s.n, s.h, s.w, s.c}},
                                         {program::DType::f32, {s.kh, s.kw, s.c, s.o}}};
  const Attributes attributes = s.attributes();
  const std::int64_t bytes =
      launcher.backend().kernel_scratch(Kernel::convolve_forward, {types, attributes},
                                        {{program::DType::f32, {s.n, s.oh(), s.ow(), s.o}}});
  CHECK(bytes > 0);
  CHECK(bytes < 16 << 20);
}

namespace {
Attributes pooling(const Case& s) {
  return {
      {"window", Integers{s.kh, s.kw}}, {"strides", Integers{s.sh, s.sw}}, {"padding", s.padding}};
}

template <class T>
void check_pooling(const Case& s) {
  Launcher launcher;
  Tensor<T> x = wavy<T>({s.n, s.h, s.w, s.c}), g = wavy<T>({s.n, s.oh(), s.ow(), s.c}, 9);
  Tensor<T> y({s.n, s.oh(), s.ow(), s.c}), dx({s.n, s.h, s.w, s.c});
  const std::size_t results = y.values.size();
  std::vector<double> largest(results, -std::numeric_limits<double>::infinity()), mean(results);
  std::vector<std::size_t> first(results);
  Case single = s;
  single.c = 1;
  single.o = s.c;  // visits (pixel, _, result with channel)
  const Naive naive{single};
  const auto channels = static_cast<std::size_t>(s.c);
  naive.each([&](std::size_t pixel, std::size_t, std::size_t r) {
    const std::size_t i = pixel * channels + r % channels;
    const double v = static_cast<double>(x.values[i]);
    if (v > largest[r]) {
      largest[r] = v;
      first[r] = i;
    }
    mean[r] += v / static_cast<double>(s.kh * s.kw);
  });
  std::vector<double> to_first(x.values.size()), to_all(x.values.size());
  for (std::size_t r = 0; r < results; ++r) to_first[first[r]] += double(g.values[r]);
  naive.each([&](std::size_t pixel, std::size_t, std::size_t r) {
    to_all[pixel * channels + r % channels] +=
        double(g.values[r]) / static_cast<double>(s.kh * s.kw);
  });
  REQUIRE(launcher.kernel(Kernel::window_max, pooling(s), {x.view()}, {y.view()}).ok());
  check_close(y.values, largest);
  REQUIRE(launcher.kernel(Kernel::window_average, pooling(s), {x.view()}, {y.view()}).ok());
  check_close(y.values, mean);
  REQUIRE(
      launcher.kernel(Kernel::window_max_gradient, pooling(s), {x.view(), g.view()}, {dx.view()})
          .ok());
  check_close(dx.values, to_first);
  REQUIRE(
      launcher.kernel(Kernel::window_average_gradient, pooling(s), {g.view()}, {dx.view()}).ok());
  check_close(dx.values, to_all);
}
}  // namespace

TEST_CASE("pooling and its gradients agree with a plain loop") {
  const std::vector<Case> cases = {
      {2, 4, 4, 3, 0, 2, 2, 2, 2, {0, 0, 0, 0}},
      {1, 5, 7, 65, 0, 3, 2, 2, 1, {1, 1, 0, 1}},
      {3, 1, 1, 1, 0, 1, 1, 1, 1, {0, 0, 0, 0}},
      {1, 6, 6, 2, 0, 3, 3, 1, 1, {1, 1, 1, 1}},
  };
  for (const Case& s : cases) {
    check_pooling<float>(s);
    check_pooling<double>(s);
  }
}

TEST_CASE("the gradient of max pooling goes to the first of equal maxima, row by row") {
  Tensor<float> x({1, 2, 2, 1}, {3, 3, 3, 3}), g({1, 1, 1, 1}, {5}), dx({1, 2, 2, 1});
  const Case s = {1, 2, 2, 1, 0, 2, 2, 2, 2, {0, 0, 0, 0}};
  REQUIRE(Launcher()
              .kernel(Kernel::window_max_gradient, pooling(s), {x.view(), g.view()}, {dx.view()})
              .ok());
  CHECK(dx.values == std::vector<float>{5, 0, 0, 0});
}

TEST_CASE("max pooling lets a NaN through and sends the gradient to it") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor<float> x({1, 2, 2, 1}, {3, nan, 9, 3}), y({1, 1, 1, 1}), g({1, 1, 1, 1}, {5}),
      dx({1, 2, 2, 1});
  const Case s = {1, 2, 2, 1, 0, 2, 2, 2, 2, {0, 0, 0, 0}};
  Launcher launcher;
  REQUIRE(launcher.kernel(Kernel::window_max, pooling(s), {x.view()}, {y.view()}).ok());
  CHECK(std::isnan(y.values[0]));
  REQUIRE(
      launcher.kernel(Kernel::window_max_gradient, pooling(s), {x.view(), g.view()}, {dx.view()})
          .ok());
  CHECK(dx.values == std::vector<float>{0, 5, 0, 0});
}
