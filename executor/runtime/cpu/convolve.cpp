#include "executor/runtime/cpu/convolve.h"

#include <algorithm>

#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/patches.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;
using program::Kernel;

/// Which tensor plays which part, by kernel: index 0 and 1 are inputs, 2 is the result.
struct Parts {
  ConvolveKind kind;
  int images, filter, results;
};

Parts parts_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::convolve_forward:
      return {ConvolveKind::forward, 0, 1, 2};
    case Kernel::convolve_input_gradient:
      return {ConvolveKind::input_gradient, 2, 1, 0};
    default:
      return {ConvolveKind::filter_gradient, 0, 2, 1};
  }
}

ConvolutionShape shape_of(const program::Attributes& attributes, ConvolveKind kind,
                          const TensorView& images, const TensorView& filter,
                          const TensorView& results) {
  ConvolutionShape shape;
  shape.kind = kind;
  shape.windows = read_windows(attributes, images, results);
  shape.windows.window_height = filter.extents[0];
  shape.windows.window_width = filter.extents[1];
  shape.filters = filter.extents[3];
  return shape;
}

TensorView extents_of(const program::TensorType& type) {
  TensorView view;
  view.dtype = type.dtype;
  for (const program::Dim& dim : type.shape) {
    view.extents[static_cast<std::size_t>(view.rank++)] = dim.bound;
  }
  return view;
}

bool has_empty_side(const ConvolutionShape& shape) {
  return shape.image_elements() == 0 || shape.pixels() == 0 || shape.patch() == 0 ||
         shape.filters == 0;
}

template <class T>
Status convolve(const Context& context, const Launch& launch) {
  const Parts parts = parts_of(context.kernel);
  const TensorView* const views[3] = {&launch.inputs[0], &launch.inputs[1], &launch.outputs[0]};
  const TensorView &images = *views[parts.images], &filter = *views[parts.filter],
                   &results = *views[parts.results];
  const ConvolutionShape shape = shape_of(context.attributes, parts.kind, images, filter, results);
  const ConvolutionData<T> data{reinterpret_cast<T*>(images.data),
                                reinterpret_cast<T*>(filter.data),
                                reinterpret_cast<T*>(results.data)};
  if constexpr (std::is_same_v<T, float>) {
    if (!has_empty_side(shape) && context.convolutions->run(shape, data, launch.scratch)) return {};
  }
  return convolve_by_patches(shape, data, launch.scratch);
}

}  // namespace

std::int64_t convolve_scratch(Kernel kernel, program::OpInputs in,
                              const program::TensorType& result, Convolutions& convolutions) {
  const Parts parts = parts_of(kernel);
  const TensorView views[3] = {extents_of(in.types[0]), extents_of(in.types[1]),
                               extents_of(result)};
  const ConvolutionShape shape = shape_of(in.attributes, parts.kind, views[parts.images],
                                          views[parts.filter], views[parts.results]);
  const std::int64_t patches = patch_scratch(shape, program::size_of(result.dtype));
  if (result.dtype != DType::f32 || has_empty_side(shape)) return patches;
  // Fewer rows than the bound may want another implementation; patches serve where it does not fit.
  return std::max(patches, convolutions.scratch(shape));
}

Status run_convolve(const Context& context, const Launch& launch) {
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      return convolve<float>(context, launch);
    case DType::f64:
      return convolve<double>(context, launch);
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
