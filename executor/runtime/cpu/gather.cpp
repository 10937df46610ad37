#include <algorithm>
#include <cstdint>
#include <limits>

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
  const std::int64_t rows = x.extents[0], columns = x.extents[1];
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

}  // namespace

Status run_gather(const Context& context, const Launch& launch) {
  if (launch.outputs[0].elements() == 0) return {};
  const bool picks = context.kernel == Kernel::gather_picked;
  const DType label_type = launch.inputs[picks ? 1 : 0].dtype;
  if (!Labels::reads(label_type)) return no_kernel(context.kernel, label_type);
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      picks ? pick<float>(launch) : one_hot<float>(context, launch);
      return {};
    case DType::f64:
      picks ? pick<double>(launch) : one_hot<double>(context, launch);
      return {};
    case DType::i32:
      picks ? pick<std::int32_t>(launch) : one_hot<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      picks ? pick<std::int64_t>(launch) : one_hot<std::int64_t>(context, launch);
      return {};
    case DType::u8:
    case DType::boolean:
      picks ? pick<std::uint8_t>(launch) : one_hot<std::uint8_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
