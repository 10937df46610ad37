#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <vector>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/along.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/labels.h"
#include "executor/runtime/cpu/parallel.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;
using program::DType;
using program::Kernel;

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

/// Rows are added in the order of their indices, whatever the threads: these share out the columns.
template <class T>
void scatter_rows(const Context& context, const Launch& launch) {
  const TensorView& result = launch.outputs[0];
  const std::int64_t rows = result.extents[0], width = result.extents[1];
  const std::int64_t count = launch.inputs[0].elements();
  const Labels indices(launch.inputs[0]);
  const T* g = reinterpret_cast<const T*>(launch.inputs[1].data);
  T* out = reinterpret_cast<T*>(result.data);
  std::fill(out, out + rows * width, T{0});
  parallel_for(context.threads, width,
               std::max<std::int64_t>(16, kGrain / std::max<std::int64_t>(1, count)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = 0; i < count; ++i) {
                   const std::int64_t row = indices[i];
                   if (row < 0 || row >= rows) continue;
                   for (std::int64_t c = begin; c < end; ++c)
                     out[row * width + c] = sum(out[row * width + c], g[i * width + c]);
                 }
               });
}

template <class T>
void scatter_along(const Context& context, const Launch& launch) {
  const std::int64_t dim = context.attributes.integer("dim");
  const TensorView& result = launch.outputs[0];
  if (result.data != launch.inputs[0].data)
    std::memcpy(result.data, launch.inputs[0].data,
                at(result.elements() * static_cast<std::int64_t>(sizeof(T))));
  const Along x(result, dim), u(launch.inputs[1], dim);
  const Labels indices(launch.inputs[1]);
  const T* updates = reinterpret_cast<const T*>(launch.inputs[2].data);
  T* out = reinterpret_cast<T*>(result.data);
  const bool adds = context.kernel == Kernel::scatter_add;
  for (std::int64_t o = 0; o < u.outer; ++o)
    for (std::int64_t j = 0; j < u.size; ++j)
      for (std::int64_t i = 0; i < u.inner; ++i) {
        const std::int64_t from = (o * u.size + j) * u.inner + i;
        const std::int64_t k = indices[from];
        if (k < 0 || k >= x.size) continue;
        T& to = out[(o * x.size + k) * x.inner + i];
        to = adds ? sum(to, updates[from]) : updates[from];
      }
}

template <class T>
void scan(const Context& context, const Launch& launch) {
  using State = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  const bool exclusive = context.attributes.boolean("exclusive");
  const bool reverse = context.attributes.boolean("reverse");
  const Along x(launch.inputs[0], context.attributes.integer("dim"));
  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  for (std::int64_t o = 0; o < x.outer; ++o)
    for (std::int64_t i = 0; i < x.inner; ++i) {
      State total = 0;
      for (std::int64_t n = 0; n < x.size; ++n) {
        const std::int64_t j = reverse ? x.size - 1 - n : n;
        const std::int64_t where = (o * x.size + j) * x.inner + i;
        const State next = total + static_cast<State>(in[where]);
        out[where] = static_cast<T>(exclusive ? total : next);
        total = next;
      }
    }
}

/// NaN comes after everything, also where the order is descending.
template <class T>
bool before(T a, T b, bool descending) {
  if (a != a || b != b) return b != b && a == a;
  return descending ? a > b : a < b;
}

template <class T>
void sort(const Context& context, const Launch& launch) {
  const bool descending = context.attributes.boolean("descending");
  const Along x(launch.inputs[0], context.attributes.integer("dim"));
  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  T* values = reinterpret_cast<T*>(launch.outputs[0].data);
  auto* indices = reinterpret_cast<std::int64_t*>(launch.outputs[1].data);
  parallel_for(
      context.threads, x.outer * x.inner,
      std::max<std::int64_t>(1, kGrain / 16 / std::max<std::int64_t>(1, x.size)),
      [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::int64_t> order(at(x.size));
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t start = line / x.inner * x.size * x.inner + line % x.inner;
          std::iota(order.begin(), order.end(), std::int64_t{0});
          std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return before(in[start + a * x.inner], in[start + b * x.inner], descending);
          });
          for (std::int64_t j = 0; j < x.size; ++j) {
            values[start + j * x.inner] = in[start + order[at(j)] * x.inner];
            indices[start + j * x.inner] = order[at(j)];
          }
        }
      });
}

}  // namespace

Status run_scatter(const Context& context, const Launch& launch) {
  const bool rows = context.kernel == Kernel::scatter_rows;
  const DType index_type = launch.inputs[rows ? 0 : 1].dtype;
  if (!Labels::reads(index_type)) return no_kernel(context.kernel, index_type);
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      rows ? scatter_rows<float>(context, launch) : scatter_along<float>(context, launch);
      return {};
    case DType::f64:
      rows ? scatter_rows<double>(context, launch) : scatter_along<double>(context, launch);
      return {};
    case DType::i32:
      scatter_along<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      scatter_along<std::int64_t>(context, launch);
      return {};
    case DType::u8:
    case DType::boolean:
      scatter_along<std::uint8_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

Status run_scan(const Context& context, const Launch& launch) {
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      scan<float>(context, launch);
      return {};
    case DType::f64:
      scan<double>(context, launch);
      return {};
    case DType::i32:
      scan<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      scan<std::int64_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

Status run_sort(const Context& context, const Launch& launch) {
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      sort<float>(context, launch);
      return {};
    case DType::f64:
      sort<double>(context, launch);
      return {};
    case DType::i32:
      sort<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      sort<std::int64_t>(context, launch);
      return {};
    case DType::u8:
      sort<std::uint8_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
