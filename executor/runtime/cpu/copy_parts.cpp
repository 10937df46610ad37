#include <algorithm>
#include <cstring>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/along.h"
#include "executor/runtime/cpu/kernels.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;
using program::Kernel;

void slice(const Context& context, const Launch& launch) {
  const std::int64_t dim = context.attributes.integer("dim");
  const std::int64_t start = context.attributes.integer("start");
  const std::int64_t step = context.attributes.integer("step");
  const TensorView &from = launch.inputs[0], &to = launch.outputs[0];
  const Along all(from, dim), part(to, dim);
  const std::int64_t inner = all.inner * program::size_of(to.dtype);
  for (std::int64_t o = 0; o < all.outer; ++o) {
    const std::byte* source = from.data + (o * all.size + start) * inner;
    std::byte* target = to.data + o * part.size * inner;
    if (step == 1)
      std::memcpy(target, source, compiler::at(part.size * inner));
    else
      copy_stretches(1, source, target, {part.size, inner, step * inner, inner});
  }
}

/// Fills `elements` elements with the attribute `value`.
void fill_with_value(const Context& context, const TensorView& view) {
  const program::Attributes attributes{{"value", context.attributes.real("value")}};
  Launch fill;
  fill.outputs = {&view, 1};
  const Status filled = run_fill({Kernel::fill_constant, attributes, context.threads}, fill);
  PENSTOCK_CHECK(filled.ok());
}

void pad(const Context& context, const Launch& launch) {
  const std::int64_t dim = context.attributes.integer("dim");
  const std::int64_t low = context.attributes.integer("low");
  const std::int64_t step = context.attributes.integer("interior") + 1;
  const TensorView &from = launch.inputs[0], &to = launch.outputs[0];
  fill_with_value(context, to);
  const Along part(from, dim), all(to, dim);
  const std::int64_t inner = all.inner * program::size_of(to.dtype);
  for (std::int64_t o = 0; o < all.outer; ++o)
    copy_stretches(1, from.data + o * part.size * inner, to.data + (o * all.size + low) * inner,
                   {part.size, inner, inner, step * inner});
}

void concat(const Context& context, const Launch& launch) {
  const std::int64_t dim = context.attributes.integer("dim");
  const TensorView& to = launch.outputs[0];
  const Along all(to, dim);
  const std::int64_t inner = all.inner * program::size_of(to.dtype);
  std::int64_t before = 0;
  for (const TensorView& from : launch.inputs) {
    const std::int64_t bytes = Along(from, dim).size * inner;
    copy_stretches(context.threads, from.data, to.data + before,
                   {all.outer, bytes, bytes, all.size * inner});
    before += bytes;
  }
}

}  // namespace

Status run_copy_parts(const Context& context, const Launch& launch) {
  switch (context.kernel) {
    case Kernel::copy_slice:
      slice(context, launch);
      return {};
    case Kernel::copy_pad:
      pad(context, launch);
      return {};
    default:
      concat(context, launch);
      return {};
  }
}

}  // namespace penstock::runtime::cpu
