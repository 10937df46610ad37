#include <algorithm>
#include <cstdint>
#include <variant>

#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/parallel.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;
using program::Kernel;

/// The attribute `value`, in the type in which it was given: large i64 constants stay exact.
template <class T>
T constant(const program::Attributes& attributes) {
  const auto item = attributes.items().find("value");
  PENSTOCK_CHECK(item != attributes.items().end(), "fill_constant: no attribute 'value'");
  if (const auto* whole = std::get_if<std::int64_t>(&item->second)) return static_cast<T>(*whole);
  if (const auto* truth = std::get_if<bool>(&item->second)) return static_cast<T>(*truth ? 1 : 0);
  return static_cast<T>(std::get<double>(item->second));
}

template <class T>
void fill(const Context& context, const Launch& launch) {
  const T value = context.kernel == Kernel::fill_batch_size ? static_cast<T>(launch.batch_size)
                  : context.kernel == Kernel::fill_iota     ? T{0}
                                                            : constant<T>(context.attributes);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  if (context.kernel == Kernel::fill_iota) {
    for (std::int64_t i = 0; i < launch.outputs[0].elements(); ++i) out[i] = static_cast<T>(i);
    return;
  }
  parallel_for(
      context.threads, launch.outputs[0].elements(), kGrain,
      [&](std::int64_t begin, std::int64_t end) { std::fill(out + begin, out + end, value); });
}

}  // namespace

Status run_fill(const Context& context, const Launch& launch) {
  switch (launch.outputs[0].dtype) {
    case DType::f32:
      fill<float>(context, launch);
      return {};
    case DType::f64:
      fill<double>(context, launch);
      return {};
    case DType::i32:
      fill<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      fill<std::int64_t>(context, launch);
      return {};
    case DType::u8:
      fill<std::uint8_t>(context, launch);
      return {};
    case DType::boolean: {
      const std::byte value{static_cast<unsigned char>(constant<double>(context.attributes) != 0)};
      const TensorView& out = launch.outputs[0];
      std::fill(out.data, out.data + out.elements(), value);
      return {};
    }
    default:
      return no_kernel(context.kernel, launch.outputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
