#pragma once

#include <cstdint>
#include <string_view>

namespace penstock::program {

/// The whole vocabulary that a backend implements. Backends never see ops.
/// An instruction carries one of these, its operands and the node's attributes.
enum class Kernel : std::uint8_t {
  // map: element by element; operands may be broadcast by stride 0 --------------------------------
  map_add,
  map_subtract,
  map_multiply,
  map_divide,
  map_maximum,
  map_negate,
  map_exp,
  map_log,
  map_sqrt,
  map_tanh,
  map_sigmoid,
  map_relu,
  map_relu_gradient,  // (x, g) -> x > 0 ? g : 0
  map_equal,          // -> bool
  map_greater,        // -> bool
  map_select,         // (condition bool, a, b)
  map_abs,
  map_sign,
  map_floor,
  map_ceil,
  map_round,
  map_trunc,
  map_reciprocal,
  map_rsqrt,
  map_expm1,
  map_log1p,
  map_sin,
  map_cos,
  map_tan,
  map_asin,
  map_acos,
  map_atan,
  map_sinh,
  map_cosh,
  map_asinh,
  map_acosh,
  map_atanh,
  map_erf,
  map_not_equal,
  map_less,
  map_less_equal,
  map_greater_equal,
  map_is_nan,
  map_is_finite,
  map_logical_and,
  map_logical_or,
  map_logical_xor,
  map_logical_not,
  map_minimum,
  map_pow,
  map_atan2,
  map_remainder,
  map_cast,  // to the result's element type; the last of the maps
  // fill ---------------------------------------------------------------------------------------
  fill_constant,    // attribute value
  fill_iota,        // 0, 1, 2, ..
  fill_batch_size,  // the call's true global number of rows, as the result's element type
  // reduce: attributes dims, keep = false
  // ----------------------------------------------------------
  reduce_sum,
  reduce_max,
  reduce_prod,
  reduce_argmax,  // attribute dim; i64 result; the first of equal maxima
  // contract: attributes transpose_lhs, transpose_rhs; [m,k] x [k,n] -> [m,n] ---------------------
  contract_matmul,  // .. leading dimensions of both, or of lhs alone: rhs is one for all
  contract_rows,    // [..,k], [..,n] -> [k,n], summed over the leading dimensions; no attributes
  // convolve: channels last; attributes strides [2], padding [4] = top bottom left right ---------
  convolve_forward,          // x [n,h,w,c], filter [kh,kw,c,o] -> [n,oh,ow,o]
  convolve_input_gradient,   // g [n,oh,ow,o], filter -> x; attribute input [2] = h w
  convolve_filter_gradient,  // x, g -> filter; attribute filter [2] = kh kw
  // window: channels last; attributes window [2], strides [2], padding [4] ------------------------
  window_max,
  window_max_gradient,      // x, g -> dx: to the first maximum of each window, row by row
  window_average,           // mean over the whole window, padding counted (torch count_include_pad)
  window_average_gradient,  // g -> dx; attribute input [2] = h w
  // copy -----------------------------------------------------------------------------------------
  copy_plain,      // same elements, same order: reshape, or variable <- value
  copy_broadcast,  // attributes shape, dims: operand dim i becomes result dim dims[i]
  copy_transpose,  // attribute permutation
  copy_slice,      // attributes dim, start, size, step
  copy_pad,        // attributes dim, low, high, interior, value
  copy_concat,     // attribute dim; one operand or more
  // gather ---------------------------------------------------------------------------------------
  gather_one_hot,  // labels [..] -> [.., depth]; attribute depth; element type of the result
  gather_picked,   // (x [..,k], labels [..]) -> [..]; label out of range -> NaN
  gather_rows,     // (table [v,d], indices [..]) -> [..,d]; index out of range -> NaN
  gather_along,    // (x, indices) of one rank; attribute dim; index out of range -> NaN
  // scatter: what is out of range changes nothing -------------------------------------------------
  scatter_rows,  // (indices [..], g [..,d]) -> [rows,d], summed; attribute rows
  scatter_add,   // (x, indices, updates) of one rank; attribute dim
  scatter_set,   // the last of equal indices counts
  // scan, sort: attribute dim ---------------------------------------------------------------------
  scan_sum,    // attributes exclusive, reverse
  sort_along,  // -> values, indices i64; attribute descending; stable, NaN last
};

std::string_view name(Kernel kernel);

/// Maps read broadcast operands by stride 0, and can be fused.
constexpr bool is_map(Kernel kernel) {
  return kernel <= Kernel::map_cast;
}

}  // namespace penstock::program
