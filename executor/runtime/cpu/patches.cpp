#include "executor/runtime/cpu/patches.h"

#include <algorithm>
#include <string>

#include "executor/runtime/cpu/kernels.h"

namespace penstock::runtime::cpu {
namespace {

/// Moves between the patch of one output pixel and the images: `f(image element, patch element, n)`
/// for each run of n neighbouring elements inside, `outside(patch element, n)` for padding.
template <class Inside, class Outside>
void each_run(const Windows& w, std::int64_t pixel, const Inside& inside, const Outside& outside) {
  const std::int64_t ow = pixel % w.out_width, oh = pixel / w.out_width % w.out_height;
  const std::int64_t image = pixel / (w.out_width * w.out_height);
  const std::int64_t h0 = oh * w.stride_down - w.top, w0 = ow * w.stride_across - w.left;
  const std::int64_t first = w.column_begin(ow), last = w.column_end(ow);
  const std::int64_t row_elements = w.window_width * w.channels;
  for (std::int64_t kh = 0; kh < w.window_height; ++kh) {
    const std::int64_t h = h0 + kh, patch = kh * row_elements;
    if (h < 0 || h >= w.height || first >= last) {
      outside(patch, row_elements);
      continue;
    }
    const std::int64_t before = (first - w0) * w.channels, n = (last - first) * w.channels;
    if (before > 0) outside(patch, before);
    inside(((image * w.height + h) * w.width + first) * w.channels, patch + before, n);
    if (before + n < row_elements) outside(patch + before + n, row_elements - before - n);
  }
}

template <class T>
void gather_patches(const ConvolutionShape& shape, const T* images, std::int64_t pixel,
                    std::int64_t count, T* patches) {
  for (std::int64_t i = 0; i < count; ++i, patches += shape.patch()) {
    each_run(
        shape.windows, pixel + i,
        [&](std::int64_t from, std::int64_t to, std::int64_t n) {
          std::copy(images + from, images + from + n, patches + to);
        },
        [&](std::int64_t to, std::int64_t n) { std::fill(patches + to, patches + to + n, T{0}); });
  }
}

template <class T>
void add_patches(const ConvolutionShape& shape, T* images, std::int64_t pixel, std::int64_t count,
                 const T* patches) {
  for (std::int64_t i = 0; i < count; ++i, patches += shape.patch()) {
    each_run(
        shape.windows, pixel + i,
        [&](std::int64_t to, std::int64_t from, std::int64_t n) {
          for (std::int64_t e = 0; e < n; ++e) images[to + e] += patches[from + e];
        },
        [](std::int64_t, std::int64_t) {});
  }
}

template <class T>
Status convolve(const ConvolutionShape& shape, const ConvolutionData<T>& data,
                std::span<std::byte> scratch) {
  const std::int64_t patch = shape.patch(), pixels = shape.pixels(), filters = shape.filters;
  if (shape.kind == ConvolveKind::input_gradient) {
    std::fill(data.images, data.images + shape.image_elements(), T{0});
  }
  if (shape.kind == ConvolveKind::filter_gradient) {
    std::fill(data.filter, data.filter + patch * filters, T{0});
  }
  if (pixels == 0 || patch == 0 || filters == 0) {
    if (shape.kind == ConvolveKind::forward) {
      std::fill(data.results, data.results + pixels * filters, T{0});
    }
    return {};
  }
  const auto room = static_cast<std::int64_t>(scratch.size() / sizeof(T)) / patch;
  if (room < 1) {
    return Error{ErrorCode::internal, "convolve: " + std::to_string(scratch.size()) +
                                          " bytes of scratch do not hold one patch of " +
                                          std::to_string(patch) + " elements"};
  }
  T* const patches = reinterpret_cast<T*>(scratch.data());
  for (std::int64_t pixel = 0; pixel < pixels; pixel += room) {
    const std::int64_t count = std::min(room, pixels - pixel);
    T* const results = data.results + pixel * filters;
    switch (shape.kind) {
      case ConvolveKind::forward:
        gather_patches(shape, data.images, pixel, count, patches);
        gemm({.m = count, .n = filters, .k = patch}, patches, data.filter, results);
        break;
      case ConvolveKind::input_gradient:
        gemm({.transpose_rhs = true, .m = count, .n = patch, .k = filters}, results, data.filter,
             patches);
        add_patches(shape, data.images, pixel, count, patches);
        break;
      case ConvolveKind::filter_gradient:
        gather_patches(shape, data.images, pixel, count, patches);
        gemm({.transpose_lhs = true, .accumulate = true, .m = patch, .n = filters, .k = count},
             patches, results, data.filter);
        break;
    }
  }
  return {};
}

}  // namespace

std::int64_t patch_scratch(const ConvolutionShape& shape, std::int64_t element_bytes) {
  constexpr std::int64_t kBlockBytes = 1 << 20;
  const std::int64_t one = std::max<std::int64_t>(1, shape.patch()) * element_bytes;
  const std::int64_t all = one * std::max<std::int64_t>(1, shape.pixels());
  return std::min(all, std::max(one, kBlockBytes));
}

Status convolve_by_patches(const ConvolutionShape& shape, const ConvolutionData<float>& data,
                           std::span<std::byte> scratch) {
  return convolve(shape, data, scratch);
}

Status convolve_by_patches(const ConvolutionShape& shape, const ConvolutionData<double>& data,
                           std::span<std::byte> scratch) {
  return convolve(shape, data, scratch);
}

}  // namespace penstock::runtime::cpu
