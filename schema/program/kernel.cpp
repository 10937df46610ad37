#include "schema/program/kernel.h"

#include <array>

#include "base/check.h"

namespace penstock::program {

std::string_view name(Kernel kernel) {
  constexpr std::array<std::string_view, 35> kNames = {
      "map_add",
      "map_subtract",
      "map_multiply",
      "map_divide",
      "map_maximum",
      "map_negate",
      "map_exp",
      "map_log",
      "map_sqrt",
      "map_tanh",
      "map_sigmoid",
      "map_relu",
      "map_relu_gradient",
      "map_equal",
      "map_greater",
      "map_select",
      "map_cast",
      "fill_constant",
      "fill_batch_size",
      "reduce_sum",
      "reduce_max",
      "reduce_argmax",
      "contract_matmul",
      "convolve_forward",
      "convolve_input_gradient",
      "convolve_filter_gradient",
      "window_max",
      "window_max_gradient",
      "window_average",
      "window_average_gradient",
      "copy_plain",
      "copy_broadcast",
      "copy_transpose",
      "gather_one_hot",
      "gather_picked",
  };
  static_assert(static_cast<std::size_t>(Kernel::gather_picked) == 34);
  const auto index = static_cast<std::size_t>(kernel);
  PENSTOCK_CHECK(index <= static_cast<std::size_t>(Kernel::gather_picked));
  return kNames[index];
}

}  // namespace penstock::program
