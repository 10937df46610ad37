#pragma once

#include <cstdint>

#include "executor/runtime/backend.h"
#include "schema/program/attributes.h"

namespace penstock::runtime::cpu {

/// How windows lie over channels-last images: what pooling and convolution share.
struct Windows {
  std::int64_t images = 0, height = 0, width = 0, channels = 0;  // of the images side
  std::int64_t out_height = 0, out_width = 0;                    // windows down and across
  std::int64_t window_height = 0, window_width = 0;
  std::int64_t stride_down = 1, stride_across = 1;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;  // padding
  bool operator==(const Windows&) const = default;

  /// Rows of the image that the window at output row `oh` covers: [begin, end), clipped.
  std::int64_t row_begin(std::int64_t oh) const { return clip(oh * stride_down - top, height); }
  std::int64_t row_end(std::int64_t oh) const {
    return clip(oh * stride_down - top + window_height, height);
  }
  std::int64_t column_begin(std::int64_t ow) const {
    return clip(ow * stride_across - left, width);
  }
  std::int64_t column_end(std::int64_t ow) const {
    return clip(ow * stride_across - left + window_width, width);
  }

 private:
  static std::int64_t clip(std::int64_t at, std::int64_t size) {
    return at < 0 ? 0 : (at > size ? size : at);
  }
};

/// From the images side [n,h,w,c], the windows side [n,oh,ow,..] and the attributes strides and
/// padding; the window's own size is left 0.
inline Windows read_windows(const program::Attributes& attributes, const TensorView& images,
                            const TensorView& windows) {
  const auto& strides = attributes.integers("strides");
  const auto& padding = attributes.integers("padding");
  Windows w;
  w.images = images.extents[0];
  w.height = images.extents[1];
  w.width = images.extents[2];
  w.channels = images.extents[3];
  w.out_height = windows.extents[1];
  w.out_width = windows.extents[2];
  w.stride_down = strides[0];
  w.stride_across = strides[1];
  w.top = padding[0];
  w.bottom = padding[1];
  w.left = padding[2];
  w.right = padding[3];
  return w;
}

}  // namespace penstock::runtime::cpu
