#pragma once

#include <cstdint>
#include <vector>

#include "schema/program/op.h"

namespace penstock::program {

/// Height and width of something.
struct Plane {
  std::int64_t h = 0, w = 0;
  bool operator==(const Plane&) const = default;
};

/// How windows lie over a plane: attributes strides [2] and padding [4] = top bottom left right.
struct Windows {
  Plane stride, window;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
};

AttributeSpec strides_spec();
AttributeSpec padding_spec();
/// Reads the attribute `name` as [h, w], each at least `least`.
Result<Plane> read_plane(const Attributes& attributes, std::string_view name, std::int64_t least);
/// Reads strides and padding for windows of the given size. Padding is smaller than the window, so
/// that each window has an element of the plane in it.
Result<Windows> read_windows(const Attributes& attributes, Plane window);
/// How many windows fit. Errors: invalid_argument if none does.
Result<Plane> window_count(const Windows& windows, Plane input);

/// `type` as channels-last images of floating point; height and width are static.
Status check_images(const TensorType& type, std::string_view what);
Plane plane_of(const Shape& images);
/// Whether images have the height and width that the windows give.
Status check_plane(const TensorType& images, Plane expected);
/// `type` as a static filter [kh,kw,c,o] of the images' element type.
Status check_filter(const TensorType& type, DType images);

/// Attributes for examples.
Attributes window_attributes(Plane stride, std::vector<std::int64_t> padding);

/// Examples that the ops of one family share.
struct ConvolutionCase {
  TensorType x, filter;
  Plane stride;
  std::vector<std::int64_t> padding;
  bool small;  // enough for finite differences
};
std::vector<ConvolutionCase> convolution_cases();

struct PoolCase {
  TensorType x;
  Plane window, stride;
  std::vector<std::int64_t> padding;
  bool small;
};
std::vector<PoolCase> pool_cases();

}  // namespace penstock::program
