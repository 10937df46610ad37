#include <algorithm>
#include <cstdint>
#include <limits>

#include "executor/runtime/cpu/along.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/labels.h"
#include "executor/runtime/cpu/parallel.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;
using program::Kernel;

/// A label out of range leaves a row of zeros: nothing is written outside of the result.
template <class T>
void one_hot(const Context& context, const Launch& launch) {
  const TensorView& result = launch.outputs[0];
  const std::int64_t depth = result.extents[static_cast<std::size_t>(result.rank - 1)];
  const Labels labels(launch.inputs[0]);
  T* out = reinterpret_cast<T*>(result.data);
  parallel_for(context.threads, launch.inputs[0].elements(),
               std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(depth, 1)),
               [&](std::int64_t begin, std::int64_t end) {
                 std::fill(out + begin * depth, out + end * depth, T{0});
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t label = labels[i];
                   if (label >= 0 && label < depth) out[i * depth + label] = T{1};
                 }
               });
}

template <class T>
void pick(const Launch& launch) {
  const TensorView& x = launch.inputs[0];
  const std::int64_t columns = x.extents[static_cast<std::size_t>(x.rank - 1)];
  const std::int64_t rows = launch.outputs[0].elements();
  const Labels labels(launch.inputs[1]);
  const T* in = reinterpret_cast<const T*>(x.data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t label = labels[i];
    const bool inside = label >= 0 && label < columns;
    // Integers have no NaN; they get 0 (quiet_NaN() is 0 for them).
    out[i] = inside ? in[i * columns + label] : std::numeric_limits<T>::quiet_NaN();
  }
}

template <class T>
void rows(const Context& context, const Launch& launch) {
  const TensorView& table = launch.inputs[0];
  const std::int64_t count = table.extents[0], width = table.extents[1];
  const Labels indices(launch.inputs[1]);
  const T* in = reinterpret_cast<const T*>(table.data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  parallel_for(context.threads, launch.inputs[1].elements(),
               std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(width, 1)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const std::int64_t row = indices[i];
                   T* to = out + i * width;
                   if (row >= 0 && row < count)
                     std::copy(in + row * width, in + (row + 1) * width, to);
                   else
                     std::fill(to, to + width, std::numeric_limits<T>::quiet_NaN());
                 }
               });
}

template <class T>
void along(const Context& context, const Launch& launch) {
  const std::int64_t dim = context.attributes.integer("dim");
  const Along x(launch.inputs[0], dim), part(launch.outputs[0], dim);
  const Labels indices(launch.inputs[1]);
  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  for (std::int64_t o = 0; o < part.outer; ++o)
    for (std::int64_t j = 0; j < part.size; ++j)
      for (std::int64_t i = 0; i < part.inner; ++i) {
        const std::int64_t to = (o * part.size + j) * part.inner + i;
        const std::int64_t k = indices[to];
        out[to] = k >= 0 && k < x.size ? in[(o * x.size + k) * x.inner + i]
                                       : std::numeric_limits<T>::quiet_NaN();
      }
}

template <class T>
void gather(const Context& context, const Launch& launch) {
  switch (context.kernel) {
    case Kernel::gather_picked:
      return pick<T>(launch);
    case Kernel::gather_rows:
      return rows<T>(context, launch);
    case Kernel::gather_along:
      return along<T>(context, launch);
    default:
      return one_hot<T>(context, launch);
  }
}

}  // namespace

Status run_gather(const Context& context, const Launch& launch) {
  if (launch.outputs[0].elements() == 0) return {};
  const bool one_hots = context.kernel == Kernel::gather_one_hot;
  const DType label_type = launch.inputs[one_hots ? 0 : 1].dtype;
  if (!Labels::reads(label_type)) return no_kernel(context.kernel, label_type);
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      gather<float>(context, launch);
      return {};
    case DType::f64:
      gather<double>(context, launch);
      return {};
    case DType::i32:
      gather<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      gather<std::int64_t>(context, launch);
      return {};
    case DType::u8:
    case DType::boolean:
      gather<std::uint8_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
