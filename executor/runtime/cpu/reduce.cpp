#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "executor/compiler/index.h"
#include "executor/runtime/cpu/kernels.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/reduce_rows.h"
#include "executor/runtime/cpu/strided.h"

namespace penstock::runtime::cpu {
namespace {

using compiler::at;

using program::DType;
using program::Kernel;

/// The operand with its dimensions sorted into those that stay and those that go, each in order.
struct Split {
  TensorView kept, reduced;  // `data` unused; strides are the operand's
};

Split split_dimensions(const Context& context, const TensorView& operand) {
  std::array<bool, TensorView::kMaxRank> goes{};
  if (context.kernel == Kernel::reduce_argmax) {
    goes[static_cast<std::size_t>(context.attributes.integer("dim"))] = true;
  } else {
    for (std::int64_t dim : context.attributes.integers("dims")) {
      goes[static_cast<std::size_t>(dim)] = true;
    }
  }
  Split split;
  for (int dim = 0; dim < operand.rank; ++dim) {
    TensorView& side = goes[at(dim)] ? split.reduced : split.kept;
    side.extents[at(side.rank)] = operand.extents[at(dim)];
    side.strides[at(side.rank++)] = operand.strides[at(dim)];
  }
  return split;
}

template <class T>
struct Sum {
  using State = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  using Out = T;
  static State empty() { return 0; }
  static void add(State& state, T x, std::int64_t) { state += static_cast<State>(x); }
  static Out result(State state) { return static_cast<T>(state); }
};

template <class T>
struct Product {
  using State = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  using Out = T;
  static State empty() { return 1; }
  static void add(State& state, T x, std::int64_t) { state *= static_cast<State>(x); }
  static Out result(State state) { return static_cast<T>(state); }
};

template <class T>
struct Max {
  using State = T;
  using Out = T;
  static State empty() {
    if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
    return std::numeric_limits<T>::lowest();
  }
  static void add(State& state, T x, std::int64_t) {
    if (x > state || x != x) state = x;  // once NaN, `x > state` is false: it stays
  }
  static Out result(State state) { return state; }
};

/// The first of equal maxima; a NaN counts as larger than everything, as in torch.
template <class T>
struct ArgMax {
  struct State {
    T largest{};
    std::int64_t where = 0;
  };
  using Out = std::int64_t;
  static State empty() { return {}; }
  static void add(State& state, T x, std::int64_t i) {
    const bool found_nan = x != x && state.largest == state.largest;
    if (i == 0 || x > state.largest || found_nan) state = {x, i};
  }
  static Out result(State state) { return state.where; }
};

/// Element by element, for any strides.
template <class T, class Reduction>
void reduce_any(const Context& context, const Launch& launch, const Split& split) {
  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  auto* out = reinterpret_cast<typename Reduction::Out*>(launch.outputs[0].data);
  const Walk kept = merge_dimensions(split.kept, {&split.kept, 1});
  const Walk reduced = merge_dimensions(split.reduced, {&split.reduced, 1});
  const std::int64_t count = split.reduced.elements();
  parallel_for(context.threads, split.kept.elements(),
               std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(count, 1)),
               [&](std::int64_t begin, std::int64_t end) {
                 Odometer outer(kept, kept.rank);
                 outer.seek(begin);
                 for (std::int64_t o = begin; o < end; ++o, outer.next()) {
                   typename Reduction::State state = Reduction::empty();
                   Odometer inner(reduced, reduced.rank);
                   for (std::int64_t i = 0; i < count; ++i, inner.next()) {
                     Reduction::add(state, in[outer.offset(0) + inner.offset(0)], i);
                   }
                   out[o] = Reduction::result(state);
                 }
               });
}

/// Takes the launch if the operand is dense [outer, reduced, inner]. Returns whether it did.
template <class T>
bool reduce_dense(const Context& context, const Launch& launch, const Split& split) {
  const Walk kept = merge_dimensions(split.kept, {&split.kept, 1});
  const Walk reduced = merge_dimensions(split.reduced, {&split.reduced, 1});
  if (reduced.rank != 1 || kept.rank > 2) return false;
  const std::int64_t count = reduced.extents[0], stride = reduced.strides[0][0];
  std::int64_t inner = 1, outer = 1;
  if (kept.rank > 0 && kept.strides[0][at(kept.rank - 1)] == 1 && stride != 1) {
    inner = kept.extents[at(kept.rank - 1)];
    if (kept.rank == 2) outer = kept.extents[0];
    if (kept.rank == 2 && kept.strides[0][0] != inner * count) return false;
  } else {
    if (kept.rank > 1) return false;
    if (kept.rank == 1) outer = kept.extents[0];
    if (kept.rank == 1 && kept.strides[0][0] != count) return false;
  }
  if (stride != inner) return false;

  const T* in = reinterpret_cast<const T*>(launch.inputs[0].data);
  T* out = reinterpret_cast<T*>(launch.outputs[0].data);
  const bool sums = context.kernel == Kernel::reduce_sum;
  if (inner == 1) {
    parallel_for(context.threads, outer, std::max<std::int64_t>(1, kGrain / count),
                 [&](std::int64_t begin, std::int64_t end) {
                   const T* from = in + begin * count;
                   sums ? sum_rows(from, end - begin, count, out + begin)
                        : max_rows(from, end - begin, count, out + begin);
                 });
    return true;
  }
  for (std::int64_t o = 0; o < outer; ++o) {
    parallel_for(context.threads, inner, std::max<std::int64_t>(16, kGrain / count),
                 [&](std::int64_t begin, std::int64_t end) {
                   const ColumnRange range{count, inner, begin, end};
                   const T* from = in + o * count * inner;
                   sums ? sum_columns(from, range, out + o * inner)
                        : max_columns(from, range, out + o * inner);
                 });
  }
  return true;
}

template <class T>
void reduce(const Context& context, const Launch& launch) {
  const Split split = split_dimensions(context, launch.inputs[0]);
  if constexpr (std::is_floating_point_v<T>) {
    const bool common =
        context.kernel == Kernel::reduce_sum || context.kernel == Kernel::reduce_max;
    if (common && launch.inputs[0].elements() > 0 && reduce_dense<T>(context, launch, split)) {
      return;
    }
  }
  switch (context.kernel) {
    case Kernel::reduce_sum:
      return reduce_any<T, Sum<T>>(context, launch, split);
    case Kernel::reduce_prod:
      return reduce_any<T, Product<T>>(context, launch, split);
    case Kernel::reduce_max:
      return reduce_any<T, Max<T>>(context, launch, split);
    default:
      return reduce_any<T, ArgMax<T>>(context, launch, split);
  }
}

}  // namespace

Status run_reduce(const Context& context, const Launch& launch) {
  switch (launch.inputs[0].dtype) {
    case DType::f32:
      reduce<float>(context, launch);
      return {};
    case DType::f64:
      reduce<double>(context, launch);
      return {};
    case DType::i32:
      reduce<std::int32_t>(context, launch);
      return {};
    case DType::i64:
      reduce<std::int64_t>(context, launch);
      return {};
    case DType::u8:
      reduce<std::uint8_t>(context, launch);
      return {};
    default:
      return no_kernel(context.kernel, launch.inputs[0].dtype);
  }
}

}  // namespace penstock::runtime::cpu
