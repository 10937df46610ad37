#include "executor/runtime/null/launch_cost.h"

#include <variant>

namespace penstock::runtime {
namespace {

using program::Kernel;

double own_elements(const TensorView& view) {
  double n = 1;
  for (int dim = 0; dim < view.rank; ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    if (view.strides[i] != 0 || view.extents[i] == 0) n *= static_cast<double>(view.extents[i]);
  }
  return n;
}

double elements(const TensorView& view) {
  return static_cast<double>(view.elements());
}

double extent(const TensorView& view, int dim) {
  return static_cast<double>(view.extents[static_cast<std::size_t>(dim)]);
}

double flop_of(const compiler::KernelCall& call, const Launch& launch) {
  const TensorView& result = launch.outputs[0];
  switch (call.kernel) {
    case Kernel::contract_matmul: {
      const bool transposed = call.attributes.boolean("transpose_lhs");
      const TensorView& lhs = launch.inputs[0];
      return 2 * elements(result) * extent(lhs, lhs.rank - (transposed ? 2 : 1));
    }
    case Kernel::contract_rows: {
      const TensorView& g = launch.inputs[1];
      return 2 * elements(launch.inputs[0]) * extent(g, g.rank - 1);
    }
    case Kernel::convolve_forward: {  // filter [kh,kw,c,o]
      const TensorView& filter = launch.inputs[1];
      return 2 * elements(result) * extent(filter, 0) * extent(filter, 1) * extent(filter, 2);
    }
    case Kernel::convolve_input_gradient: {
      const TensorView& filter = launch.inputs[1];
      return 2 * elements(launch.inputs[0]) * extent(filter, 0) * extent(filter, 1) *
             extent(filter, 2);
    }
    case Kernel::convolve_filter_gradient:
      return 2 * elements(launch.inputs[1]) * extent(result, 0) * extent(result, 1) *
             extent(result, 2);
    case Kernel::reduce_sum:
    case Kernel::reduce_max:
    case Kernel::reduce_prod:
    case Kernel::reduce_argmax:
      return elements(launch.inputs[0]);
    default:
      return elements(result);
  }
}

}  // namespace

LaunchCost cost_of(const Launch& launch) {
  LaunchCost cost;
  for (const auto views : {launch.inputs, launch.outputs}) {
    for (const TensorView& view : views) {
      cost.bytes += own_elements(view) * static_cast<double>(program::size_of(view.dtype));
    }
  }
  if (const auto* kernel = std::get_if<compiler::KernelCall>(&launch.instruction->call)) {
    cost.flop = flop_of(*kernel, launch);
  } else if (const auto* fused = std::get_if<compiler::FusedCall>(&launch.instruction->call)) {
    cost.flop = elements(launch.outputs[0]) * static_cast<double>(fused->maps.size());
  } else {
    // A region passes a few times over its operands; its arithmetic hides behind the traffic.
    for (const TensorView& view : launch.inputs) cost.flop += 4 * elements(view);
  }
  return cost;
}

}  // namespace penstock::runtime
