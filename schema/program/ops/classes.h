#pragma once

#include <vector>

#include "schema/program/builder.h"
#include "schema/program/op.h"

namespace penstock::program {

/// A floating-point operand of rank 1 or more; the result has its type.
Result<Types> infer_over_last(OpInputs in);
/// logits [..,k] of floating point with k > 0, labels [..] i32 or i64.
Status check_classes(const TensorType& logits, const TensorType& labels);

/// x minus the maximum along its last dimension: e to it cannot overflow.
ValueId minus_last_max(Builder& b, ValueId x);
/// Sum along the last dimension, which disappears.
ValueId sum_last(Builder& b, ValueId x);
/// Repeats a value of `shape` without its last dimension along that dimension.
ValueId along_last(Builder& b, ValueId value, const Shape& shape);

/// The rule of an op on logits [..,k], labels [..] and more of these shapes, told by their ranks:
/// the classes stay whole, the rows are free and alike.
ShardingRule class_rule(OpInputs in, std::size_t result_rank, Linearity linearity);

std::vector<Example> last_dim_examples();
/// logits [..,k], labels [..]
std::vector<Example> class_examples();

}  // namespace penstock::program
