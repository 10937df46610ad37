#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <climits>
#include <string>

#include "executor/runtime/cpu/kernels.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;

/// Both libraries divide by sizes; empty products end here. True if there is nothing left to do.
template <class T>
bool is_empty(const Gemm& shape, T* result) {
  if (shape.m == 0 || shape.n == 0) return true;
  if (shape.k > 0) return false;
  if (!shape.accumulate) std::fill(result, result + shape.m * shape.n, T{0});
  return true;
}

template <class T>
void contract(const Context& context, const Launch& launch) {
  const TensorView &lhs = launch.inputs[0], &rhs = launch.inputs[1];
  Gemm shape;
  shape.transpose_lhs = context.attributes.boolean("transpose_lhs");
  shape.transpose_rhs = context.attributes.boolean("transpose_rhs");
  shape.m = lhs.extents[shape.transpose_lhs ? 1 : 0];
  shape.k = lhs.extents[shape.transpose_lhs ? 0 : 1];
  shape.n = rhs.extents[shape.transpose_rhs ? 0 : 1];
  gemm(shape, reinterpret_cast<const T*>(lhs.data), reinterpret_cast<const T*>(rhs.data),
       reinterpret_cast<T*>(launch.outputs[0].data));
}

}  // namespace

void gemm(const Gemm& shape, const float* lhs, const float* rhs, float* result) {
  if (is_empty(shape, result)) return;
  const dnnl_status_t status = dnnl_sgemm(
      shape.transpose_lhs ? 'T' : 'N', shape.transpose_rhs ? 'T' : 'N', shape.m, shape.n, shape.k,
      1.0f, lhs, shape.transpose_lhs ? shape.m : shape.k, rhs,
      shape.transpose_rhs ? shape.k : shape.n, shape.accumulate ? 1.0f : 0.0f, result, shape.n);
  PENSTOCK_CHECK(status == dnnl_success, "dnnl_sgemm refused its arguments");
}

void gemm(const Gemm& shape, const double* lhs, const double* rhs, double* result) {
  if (is_empty(shape, result)) return;
  const auto size = [](std::int64_t n) {
    PENSTOCK_CHECK(n <= INT_MAX, "a matrix side exceeds the BLAS index type");
    return static_cast<blasint>(n);
  };
  cblas_dgemm(CblasRowMajor, shape.transpose_lhs ? CblasTrans : CblasNoTrans,
              shape.transpose_rhs ? CblasTrans : CblasNoTrans, size(shape.m), size(shape.n),
              size(shape.k), 1.0, lhs, size(shape.transpose_lhs ? shape.m : shape.k), rhs,
              size(shape.transpose_rhs ? shape.k : shape.n), shape.accumulate ? 1.0 : 0.0, result,
              size(shape.n));
}

Status run_contract(const Context& context, const Launch& launch) {
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      contract<float>(context, launch);
      return {};
    case DType::f64:
      contract<double>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
