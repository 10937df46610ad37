#include "schema/program/kernel.h"

#include <array>

#include "base/check.h"

namespace penstock::program {

std::string_view name(Kernel kernel) {
  constexpr std::array kNames = std::to_array<std::string_view>({
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
      "map_abs",
      "map_sign",
      "map_floor",
      "map_ceil",
      "map_round",
      "map_trunc",
      "map_reciprocal",
      "map_rsqrt",
      "map_expm1",
      "map_log1p",
      "map_sin",
      "map_cos",
      "map_tan",
      "map_asin",
      "map_acos",
      "map_atan",
      "map_sinh",
      "map_cosh",
      "map_asinh",
      "map_acosh",
      "map_atanh",
      "map_erf",
      "map_not_equal",
      "map_less",
      "map_less_equal",
      "map_greater_equal",
      "map_is_nan",
      "map_is_finite",
      "map_logical_and",
      "map_logical_or",
      "map_logical_xor",
      "map_logical_not",
      "map_minimum",
      "map_pow",
      "map_atan2",
      "map_remainder",
      "map_cast",
      "fill_constant",
      "fill_batch_size",
      "reduce_sum",
      "reduce_max",
      "reduce_prod",
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
  });
  static_assert(kNames.size() == static_cast<std::size_t>(Kernel::gather_picked) + 1);
  const auto index = static_cast<std::size_t>(kernel);
  PENSTOCK_CHECK(index <= static_cast<std::size_t>(Kernel::gather_picked));
  return kNames[index];
}

}  // namespace penstock::program
