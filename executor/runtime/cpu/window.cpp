#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/window_images.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;
using program::Kernel;

template <class T>
void pool(const Context& context, const Launch& launch) {
  const bool forward =
      context.kernel == Kernel::window_max || context.kernel == Kernel::window_average;
  const TensorView& images = forward ? launch.inputs[0] : launch.outputs[0];
  const TensorView& results = forward ? launch.outputs[0] : launch.inputs.back();
  Windows windows = read_windows(context.attributes, images, results);
  const auto& window = context.attributes.integers("window");
  windows.window_height = window[0];
  windows.window_width = window[1];

  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  parallel_for(context.threads, windows.images, 1, [&](std::int64_t begin, std::int64_t end) {
    const PoolRange range{windows, begin, end};
    switch (context.kernel) {
      case Kernel::window_max:
        return pool_max(range, in, out);
      case Kernel::window_max_gradient:
        return pool_max_gradient(range, in, reinterpret_cast<const T*>(launch.inputs[1].data), out);
      case Kernel::window_average:
        return pool_average(range, in, out);
      default:
        return pool_average_gradient(range, in, out);
    }
  });
}

}  // namespace

Status run_window(const Context& context, const Launch& launch) {
  if (launch.outputs[0].elements() == 0) return {};
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      pool<float>(context, launch);
      return {};
    case DType::f64:
      pool<double>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
