#include <cblas.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <climits>
#include <string>

#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/parallel.h"

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

/// Elements of the dimensions before the last `last`.
std::int64_t leading(const TensorView& view, int last) {
  std::int64_t n = 1;
  for (int i = 0; i < view.rank - last; ++i) n *= view.extents[static_cast<std::size_t>(i)];
  return n;
}

std::int64_t from_end(const TensorView& view, int i) {
  return view.extents[static_cast<std::size_t>(view.rank - i)];
}

template <class T>
void matmul(const Context& context, const Launch& launch) {
  const TensorView &lhs = launch.inputs[0], &rhs = launch.inputs[1];
  Gemm shape;
  shape.transpose_lhs = context.attributes.boolean("transpose_lhs");
  shape.transpose_rhs = context.attributes.boolean("transpose_rhs");
  shape.m = from_end(lhs, shape.transpose_lhs ? 1 : 2);
  shape.k = from_end(lhs, shape.transpose_lhs ? 2 : 1);
  shape.n = from_end(rhs, shape.transpose_rhs ? 2 : 1);
  std::int64_t matrices = leading(lhs, 2);
  if (rhs.rank == 2) {  // one product for all rows
    shape.m *= matrices;
    matrices = 1;
  }
  const T* a = reinterpret_cast<const T*>(lhs.data);
  const T* b = reinterpret_cast<const T*>(rhs.data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      gemm(shape, a + i * shape.m * shape.k, b + i * shape.k * shape.n,
           out + i * shape.m * shape.n);
  };
  // Many small products are shared out; a single one is cut by the library.
  if (matrices < context.threads) return run(0, matrices);
  const std::int64_t work = std::max<std::int64_t>(1, shape.m * shape.n * shape.k);
  parallel_for(context.threads, matrices, std::max<std::int64_t>(1, 64 * kGrain / work), run);
}

template <class T>
void rows(const Launch& launch) {
  const TensorView &x = launch.inputs[0], &g = launch.inputs[1];
  Gemm shape;
  shape.transpose_lhs = true;
  shape.m = from_end(x, 1);
  shape.n = from_end(g, 1);
  shape.k = leading(x, 1);
  gemm(shape, reinterpret_cast<const T*>(x.data), reinterpret_cast<const T*>(g.data),
       reinterpret_cast<T*>(launch.outputs[0].data));
}

template <class T>
void contract(const Context& context, const Launch& launch) {
  if (context.kernel == program::Kernel::contract_rows) return rows<T>(launch);
  matmul<T>(context, launch);
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
