#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace penstock::collectives {

enum class ElementType { f32, f64, i32, i64 };
enum class ReduceOp { sum, max, min };

constexpr std::size_t size_of(ElementType type) {
  return type == ElementType::f32 || type == ElementType::i32 ? 4 : 8;
}
std::string_view name(ElementType type);
std::string_view name(ReduceOp op);

/// Which of two operands stands on the left. Sum and max commute except for the payload of a NaN
/// and the sign of a zero, so ranks that must agree to the last bit agree on the order too.
enum class OperandOrder { into_first, from_first };

struct Reduction {
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  OperandOrder order = OperandOrder::into_first;
};

/// into[i] = into[i] op from[i]. Integers wrap; max and min of a NaN are NaN.
/// Needs equal sizes, a multiple of the element size, aligned for it, not overlapping.
/// Threads: pure
void reduce(Reduction reduction, std::span<std::byte> into, std::span<const std::byte> from);

}  // namespace penstock::collectives
