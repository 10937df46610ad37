#include <limits>

#include "tests/conformance/reference.h"

namespace penstock::conformance {
namespace {

/// Reads and writes [n,h,w,c] or [kh,kw,c,o] by four coordinates.
double& at(Array& array, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const std::int64_t offset = ((a * size(array, 1) + b) * size(array, 2) + c) * size(array, 3) + d;
  return array.values[static_cast<std::size_t>(offset)];
}

double at(const Array& array, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return at(const_cast<Array&>(array), a, b, c, d);
}

std::vector<Array> matmul(const ReferenceCall& call) {
  const Array& lhs = call.operands[0];
  const Array& rhs = call.operands[1];
  const bool tl = call.attributes.boolean("transpose_lhs");
  const bool tr = call.attributes.boolean("transpose_rhs");
  const std::size_t rank = lhs.type.shape.size(), rhs_rank = rhs.type.shape.size();
  program::Shape shape = lhs.type.shape;
  shape[rank - 2] = lhs.type.shape[rank - (tl ? 1 : 2)];
  shape[rank - 1] = rhs.type.shape[rhs_rank - (tr ? 2 : 1)];
  const std::int64_t k = size(lhs, rank - (tl ? 2 : 1));
  Array out = zeros(lhs.type.dtype, shape);
  const auto extents = sizes(out);
  for (std::int64_t e = 0; e < count(extents); ++e) {
    const auto index = unravel(e, extents);
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      auto a = index, b = index;
      a[rank - 2] = tl ? l : index[rank - 2];
      a[rank - 1] = tl ? index[rank - 2] : l;
      b[rank - 2] = tr ? index[rank - 1] : l;
      b[rank - 1] = tr ? l : index[rank - 1];
      b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(rank - rhs_rank));
      sum += lhs.values[static_cast<std::size_t>(ravel(a, sizes(lhs)))] *
             rhs.values[static_cast<std::size_t>(ravel(b, sizes(rhs)))];
    }
    out.values[static_cast<std::size_t>(e)] = sum;
  }
  return {out};
}

std::vector<Array> matmul_weight_gradient(const ReferenceCall& call) {
  const Array &x = call.operands[0], &g = call.operands[1];
  const std::int64_t k = x.type.shape.back().bound, n = g.type.shape.back().bound;
  Array out = zeros(x.type.dtype, {k, n});
  const std::int64_t rows = k > 0 ? static_cast<std::int64_t>(x.values.size()) / k : 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < k; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        out.values[static_cast<std::size_t>(i * n + j)] +=
            x.values[static_cast<std::size_t>(r * k + i)] *
            g.values[static_cast<std::size_t>(r * n + j)];
  return {out};
}

struct Grid {
  std::int64_t stride_h, stride_w, top, bottom, left, right;
};

Grid grid(const ReferenceCall& call) {
  const auto& strides = call.attributes.integers("strides");
  const auto& padding = call.attributes.integers("padding");
  return {strides[0], strides[1], padding[0], padding[1], padding[2], padding[3]};
}

/// Calls visit(row of window, column of window, dy, dx, y, x) for each tap inside the image.
template <class Visit>
void for_each_tap(const Grid& g, std::int64_t oh, std::int64_t ow, std::int64_t kh, std::int64_t kw,
                  std::int64_t h, std::int64_t w, Visit visit) {
  for (std::int64_t i = 0; i < oh; ++i)
    for (std::int64_t j = 0; j < ow; ++j)
      for (std::int64_t dy = 0; dy < kh; ++dy)
        for (std::int64_t dx = 0; dx < kw; ++dx) {
          const std::int64_t y = i * g.stride_h - g.top + dy;
          const std::int64_t x = j * g.stride_w - g.left + dx;
          if (y >= 0 && y < h && x >= 0 && x < w) visit(i, j, dy, dx, y, x);
        }
}

std::int64_t windows(std::int64_t size, std::int64_t before, std::int64_t after,
                     std::int64_t window, std::int64_t stride) {
  return (size + before + after - window) / stride + 1;
}

std::vector<Array> conv2d(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Array& filter = call.operands[1];
  const Grid g = grid(call);
  const std::int64_t kh = size(filter, 0), kw = size(filter, 1);
  const std::int64_t oh = windows(size(x, 1), g.top, g.bottom, kh, g.stride_h);
  const std::int64_t ow = windows(size(x, 2), g.left, g.right, kw, g.stride_w);
  Array out = zeros(x.type.dtype, {x.type.shape[0], oh, ow, filter.type.shape[3]});
  for_each_tap(g, oh, ow, kh, kw, size(x, 1), size(x, 2),
               [&](std::int64_t i, std::int64_t j, std::int64_t dy, std::int64_t dx,
                   std::int64_t row, std::int64_t column) {
                 for (std::int64_t n = 0; n < size(x, 0); ++n)
                   for (std::int64_t c = 0; c < size(x, 3); ++c)
                     for (std::int64_t o = 0; o < size(filter, 3); ++o)
                       at(out, n, i, j, o) += at(x, n, row, column, c) * at(filter, dy, dx, c, o);
               });
  return {out};
}

std::vector<Array> conv2d_input_gradient(const ReferenceCall& call) {
  const Array& g = call.operands[0];
  const Array& filter = call.operands[1];
  const auto& input = call.attributes.integers("input");
  Array out = zeros(g.type.dtype, {g.type.shape[0], input[0], input[1], filter.type.shape[2]});
  for_each_tap(grid(call), size(g, 1), size(g, 2), size(filter, 0), size(filter, 1), input[0],
               input[1],
               [&](std::int64_t i, std::int64_t j, std::int64_t dy, std::int64_t dx,
                   std::int64_t row, std::int64_t column) {
                 for (std::int64_t n = 0; n < size(g, 0); ++n)
                   for (std::int64_t c = 0; c < size(filter, 2); ++c)
                     for (std::int64_t o = 0; o < size(filter, 3); ++o)
                       at(out, n, row, column, c) += at(g, n, i, j, o) * at(filter, dy, dx, c, o);
               });
  return {out};
}

std::vector<Array> conv2d_filter_gradient(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Array& g = call.operands[1];
  const auto& filter = call.attributes.integers("filter");
  Array out = zeros(x.type.dtype, {filter[0], filter[1], x.type.shape[3], g.type.shape[3]});
  for_each_tap(grid(call), size(g, 1), size(g, 2), filter[0], filter[1], size(x, 1), size(x, 2),
               [&](std::int64_t i, std::int64_t j, std::int64_t dy, std::int64_t dx,
                   std::int64_t row, std::int64_t column) {
                 for (std::int64_t n = 0; n < size(x, 0); ++n)
                   for (std::int64_t c = 0; c < size(x, 3); ++c)
                     for (std::int64_t o = 0; o < size(g, 3); ++o)
                       at(out, dy, dx, c, o) += at(x, n, row, column, c) * at(g, n, i, j, o);
               });
  return {out};
}

/// An array of pooled size.
Array pooled(const ReferenceCall& call, double start) {
  const Array& x = call.operands[0];
  const Grid g = grid(call);
  const auto& window = call.attributes.integers("window");
  Array out = zeros(x.type.dtype,
                    {x.type.shape[0], windows(size(x, 1), g.top, g.bottom, window[0], g.stride_h),
                     windows(size(x, 2), g.left, g.right, window[1], g.stride_w), x.type.shape[3]});
  for (double& value : out.values) value = start;
  return out;
}

std::vector<Array> max_pool2d(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const auto& window = call.attributes.integers("window");
  Array out = pooled(call, -std::numeric_limits<double>::infinity());
  for_each_tap(grid(call), size(out, 1), size(out, 2), window[0], window[1], size(x, 1), size(x, 2),
               [&](std::int64_t i, std::int64_t j, std::int64_t, std::int64_t, std::int64_t row,
                   std::int64_t column) {
                 for (std::int64_t n = 0; n < size(x, 0); ++n)
                   for (std::int64_t c = 0; c < size(x, 3); ++c) {
                     double& best = at(out, n, i, j, c);
                     const double value = at(x, n, row, column, c);
                     if (value > best) best = value;
                   }
               });
  return {out};
}

std::vector<Array> max_pool2d_gradient(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Array& g = call.operands[1];
  const auto& window = call.attributes.integers("window");
  Array best = pooled(call, -std::numeric_limits<double>::infinity());
  Array where = pooled(call, 0);  // row * width + column of the first maximum
  for_each_tap(grid(call), size(g, 1), size(g, 2), window[0], window[1], size(x, 1), size(x, 2),
               [&](std::int64_t i, std::int64_t j, std::int64_t, std::int64_t, std::int64_t row,
                   std::int64_t column) {
                 for (std::int64_t n = 0; n < size(x, 0); ++n)
                   for (std::int64_t c = 0; c < size(x, 3); ++c) {
                     const double value = at(x, n, row, column, c);
                     if (!(value > at(best, n, i, j, c))) continue;
                     at(best, n, i, j, c) = value;
                     at(where, n, i, j, c) = static_cast<double>(row * size(x, 2) + column);
                   }
               });
  Array out = zeros(x.type.dtype, x.type.shape);
  for (std::int64_t n = 0; n < size(g, 0); ++n)
    for (std::int64_t i = 0; i < size(g, 1); ++i)
      for (std::int64_t j = 0; j < size(g, 2); ++j)
        for (std::int64_t c = 0; c < size(g, 3); ++c) {
          const auto to = static_cast<std::int64_t>(at(where, n, i, j, c));
          at(out, n, to / size(x, 2), to % size(x, 2), c) += at(g, n, i, j, c);
        }
  return {out};
}

std::vector<Array> avg_pool2d(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const auto& window = call.attributes.integers("window");
  const auto area = static_cast<double>(window[0] * window[1]);
  Array out = pooled(call, 0);
  for_each_tap(grid(call), size(out, 1), size(out, 2), window[0], window[1], size(x, 1), size(x, 2),
               [&](std::int64_t i, std::int64_t j, std::int64_t, std::int64_t, std::int64_t row,
                   std::int64_t column) {
                 for (std::int64_t n = 0; n < size(x, 0); ++n)
                   for (std::int64_t c = 0; c < size(x, 3); ++c)
                     at(out, n, i, j, c) += at(x, n, row, column, c) / area;
               });
  return {out};
}

std::vector<Array> avg_pool2d_gradient(const ReferenceCall& call) {
  const Array& g = call.operands[0];
  const auto& window = call.attributes.integers("window");
  const auto& input = call.attributes.integers("input");
  const auto area = static_cast<double>(window[0] * window[1]);
  Array out = zeros(g.type.dtype, {g.type.shape[0], input[0], input[1], g.type.shape[3]});
  for_each_tap(grid(call), size(g, 1), size(g, 2), window[0], window[1], input[0], input[1],
               [&](std::int64_t i, std::int64_t j, std::int64_t, std::int64_t, std::int64_t row,
                   std::int64_t column) {
                 for (std::int64_t n = 0; n < size(g, 0); ++n)
                   for (std::int64_t c = 0; c < size(g, 3); ++c)
                     at(out, n, row, column, c) += at(g, n, i, j, c) / area;
               });
  return {out};
}

}  // namespace

std::vector<NamedReference> contraction_references() {
  return {{"matmul", matmul},
          {"matmul_weight_gradient", matmul_weight_gradient},
          {"conv2d", conv2d},
          {"conv2d_input_gradient", conv2d_input_gradient},
          {"conv2d_filter_gradient", conv2d_filter_gradient},
          {"max_pool2d", max_pool2d},
          {"max_pool2d_gradient", max_pool2d_gradient},
          {"avg_pool2d", avg_pool2d},
          {"avg_pool2d_gradient", avg_pool2d_gradient}};
}

}  // namespace penstock::conformance
