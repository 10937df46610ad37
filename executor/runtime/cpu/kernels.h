#pragma once

#include <cstdint>

#include "base/result.h"
#include "executor/runtime/backend.h"
#include "schema/program/attributes.h"
#include "schema/program/kernel.h"

namespace penstock::runtime::cpu {

class Convolutions;

/// What a kernel knows beside its launch.
struct Context {
  program::Kernel kernel;
  const program::Attributes& attributes;
  int threads = 1;
  Convolutions* convolutions = nullptr;
};

// One function per kernel family. All take empty tensors; an element type or a form that a family
// lacks is `unimplemented`, naming kernel and type. Outputs are dense; where not said otherwise,
// inputs are dense too. An output may be the same block as an input in map kernels only.

/// map_*: inputs of any strides (0 where broadcast), brought to the result's rank.
Status run_map(const Context& context, const Launch& launch);
Status run_fill(const Context& context, const Launch& launch);
/// reduce_*: inputs of any strides. Sums accumulate in double, of dense columns in groups of eight;
/// integers in 64 bits.
Status run_reduce(const Context& context, const Launch& launch);
Status run_contract(const Context& context, const Launch& launch);
Status run_convolve(const Context& context, const Launch& launch);
Status run_window(const Context& context, const Launch& launch);
/// copy_*: inputs of any strides.
Status run_copy(const Context& context, const Launch& launch);
/// Of these copy_slice, copy_pad and copy_concat.
Status run_copy_parts(const Context& context, const Launch& launch);
Status run_gather(const Context& context, const Launch& launch);

/// scatter_*, scan_*, sort_*: along one dimension of dense tensors.
Status run_scatter(const Context& context, const Launch& launch);
Status run_scan(const Context& context, const Launch& launch);
Status run_sort(const Context& context, const Launch& launch);

/// `map_exp: no kernel for bf16 on the cpu backend; ...`
Error no_kernel(program::Kernel kernel, program::DType dtype);

/// C [m, n] = A x B, all row-major and dense; a transposed operand is stored [k, m] or [n, k].
/// With `accumulate`, adds to C. Any of m, n, k may be 0.
struct Gemm {
  bool transpose_lhs = false, transpose_rhs = false, accumulate = false;
  std::int64_t m = 0, n = 0, k = 0;
};
void gemm(const Gemm& shape, const float* lhs, const float* rhs, float* result);
void gemm(const Gemm& shape, const double* lhs, const double* rhs, double* result);

}  // namespace penstock::runtime::cpu
