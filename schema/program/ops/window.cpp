#include "schema/program/ops/window.h"

#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

using Integers = std::vector<std::int64_t>;

// Far above any real image; keeps every sum below well inside 64 bits.
constexpr std::int64_t kPlaneMax = std::int64_t{1} << 24;

std::string text(Plane plane) {
  return "[" + std::to_string(plane.h) + "," + std::to_string(plane.w) + "]";
}

}  // namespace

AttributeSpec strides_spec() {
  return {"strides", AttributeKind::integers, Attribute(Integers{1, 1})};
}

AttributeSpec padding_spec() {
  return {"padding", AttributeKind::integers, Attribute(Integers{0, 0, 0, 0})};
}

Result<Plane> read_plane(const Attributes& attributes, std::string_view name, std::int64_t least) {
  const Integers& list = attributes.integers(name);
  if (list.size() != 2)
    return invalid("attribute '" + std::string(name) + "' must be [height,width], got " +
                   to_text(Attribute(list)));
  for (const std::int64_t size : list)
    if (size < least || size > kPlaneMax)
      return invalid("attribute '" + std::string(name) + "' = " + to_text(Attribute(list)) +
                     " is outside " + std::to_string(least) + " to " + std::to_string(kPlaneMax));
  return Plane{list[0], list[1]};
}

Result<Windows> read_windows(const Attributes& attributes, Plane window) {
  Windows out;
  out.window = window;
  if (window.h < 1 || window.w < 1 || window.h > kPlaneMax || window.w > kPlaneMax)
    return invalid("window " + text(window) + " is outside 1 to " + std::to_string(kPlaneMax));
  PENSTOCK_ASSIGN(out.stride, read_plane(attributes, "strides", 1));
  const Integers& padding = attributes.integers("padding");
  if (padding.size() != 4)
    return invalid("attribute 'padding' must be [top,bottom,left,right], got " +
                   to_text(Attribute(padding)));
  for (std::size_t i = 0; i < 4; ++i)
    if (padding[i] < 0 || padding[i] >= (i < 2 ? window.h : window.w))
      return invalid("padding " + to_text(Attribute(padding)) +
                     " must be 0 or more and smaller than the window " + text(window));
  out.top = padding[0];
  out.bottom = padding[1];
  out.left = padding[2];
  out.right = padding[3];
  return out;
}

Result<Plane> window_count(const Windows& windows, Plane input) {
  const std::int64_t free_h = input.h + windows.top + windows.bottom - windows.window.h;
  const std::int64_t free_w = input.w + windows.left + windows.right - windows.window.w;
  if (input.h < 1 || input.w < 1 || input.h > kPlaneMax || input.w > kPlaneMax || free_h < 0 ||
      free_w < 0)
    return invalid("window " + text(windows.window) + " does not fit into the image " +
                   text(input) + " with padding [" + std::to_string(windows.top) + "," +
                   std::to_string(windows.bottom) + "," + std::to_string(windows.left) + "," +
                   std::to_string(windows.right) + "]");
  return Plane{free_h / windows.stride.h + 1, free_w / windows.stride.w + 1};
}

Status check_images(const TensorType& type, std::string_view what) {
  if (type.shape.size() != 4)
    return invalid(std::string(what) + " must be images [n,h,w,c], got " + to_text(type));
  if (type.shape[1].dynamic || type.shape[2].dynamic || type.shape[3].dynamic)
    return invalid(std::string(what) + " may be dynamic in dimension 0 only, got " + to_text(type));
  return check_elements(type, Elements::floats);
}

Plane plane_of(const Shape& images) {
  return {images[1].bound, images[2].bound};
}

Status check_plane(const TensorType& images, Plane expected) {
  if (plane_of(images.shape) == expected) return {};
  return invalid("g " + to_text(images) + " must have height and width " + text(expected) +
                 ", as many as windows fit into the input");
}

Status check_filter(const TensorType& type, DType images) {
  if (type.shape.size() != 4 || dynamic_dim(type.shape) >= 0)
    return invalid("the filter must be a static [kh,kw,c,o], got " + to_text(type));
  if (type.dtype != images)
    return invalid("element types differ: images " + std::string(name(images)) + ", filter " +
                   to_text(type) + "; insert a cast");
  return {};
}

Attributes window_attributes(Plane stride, std::vector<std::int64_t> padding) {
  return {{"strides", Integers{stride.h, stride.w}}, {"padding", std::move(padding)}};
}

std::vector<ConvolutionCase> convolution_cases() {
  const auto f64 = [](Shape shape) { return TensorType{DType::f64, std::move(shape)}; };
  return {
      {f64({1, 1, 1, 1}), f64({1, 1, 1, 1}), {1, 1}, {0, 0, 0, 0}, true},
      {f64({0, 5, 5, 2}), f64({3, 3, 2, 3}), {1, 1}, {1, 1, 1, 1}, true},
      {f64({2, 5, 4, 3}), f64({3, 3, 3, 2}), {1, 1}, {1, 1, 1, 1}, true},
      {f64({1, 7, 6, 2}), f64({3, 2, 2, 3}), {2, 3}, {0, 0, 0, 0}, true},
      {f64({2, 6, 7, 1}), f64({3, 4, 1, 2}), {2, 2}, {2, 1, 0, 3}, true},  // lopsided; a row unused
      {f64({2, 3, 3, 0}), f64({2, 2, 0, 2}), {1, 1}, {0, 0, 0, 0}, true},  // sums of nothing
      {f64({batch(3), 4, 4, 2}), f64({3, 3, 2, 2}), {1, 1}, {1, 1, 1, 1}, true},
      {f64({5, 14, 13, 8}), f64({3, 3, 8, 16}), {1, 1}, {1, 1, 1, 1}, false},
      {f64({3, 15, 15, 12}), f64({5, 5, 12, 9}), {2, 2}, {2, 2, 2, 2}, false},
  };
}

std::vector<PoolCase> pool_cases() {
  const auto f64 = [](Shape shape) { return TensorType{DType::f64, std::move(shape)}; };
  return {
      {f64({1, 1, 1, 1}), {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
      {f64({0, 4, 4, 2}), {2, 2}, {2, 2}, {0, 0, 0, 0}, true},
      {f64({2, 4, 6, 3}), {2, 2}, {2, 2}, {0, 0, 0, 0}, true},
      {f64({1, 7, 5, 2}), {3, 3}, {2, 2}, {1, 1, 1, 1}, true},  // windows overlap
      {f64({2, 5, 7, 1}), {2, 3}, {3, 2}, {1, 0, 0, 2}, true},  // rows that no window covers
      {f64({batch(3), 4, 4, 2}), {2, 2}, {2, 2}, {0, 0, 0, 0}, true},
      {f64({5, 28, 27, 8}), {2, 2}, {2, 2}, {0, 0, 0, 0}, false},
  };
}

}  // namespace penstock::program
