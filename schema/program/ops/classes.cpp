#include "schema/program/ops/classes.h"

#include <algorithm>

#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

std::vector<std::int64_t> last_dim(const Shape& shape) {
  return {static_cast<std::int64_t>(shape.size()) - 1};
}

}  // namespace

Result<Types> infer_over_last(OpInputs in) {
  if (in.types[0].shape.empty())
    return invalid("the operand is a scalar: there is no last dimension to normalise over");
  return infer_unary(in, Elements::floats);
}

Status check_classes(const TensorType& logits, const TensorType& labels) {
  PENSTOCK_TRY(check_elements(logits, Elements::floats));
  if (labels.dtype != DType::i32 && labels.dtype != DType::i64)
    return invalid("labels must be i32 or i64, got " + to_text(labels));
  if (logits.shape.empty() || logits.shape.back().dynamic ||
      Shape(logits.shape.begin(), logits.shape.end() - 1) != labels.shape)
    return invalid("takes logits [..,k] and labels [..], got logits " + to_text(logits.shape) +
                   ", labels " + to_text(labels.shape));
  if (logits.shape.back().bound == 0)
    return invalid("logits " + to_text(logits) + " have no classes");
  return {};
}

ShardingRule class_rule(OpInputs in, std::size_t result_rank, Linearity linearity) {
  const std::size_t rows = in.types[1].shape.size();
  const auto factors = [&](std::size_t rank) {
    std::vector<int> out(rank, ShardingRule::kWhole);
    for (std::size_t i = 0; i < std::min(rank, rows); ++i) out[i] = static_cast<int>(i);
    return out;
  };
  ShardingRule rule;
  rule.linearity = linearity;
  for (const TensorType& type : in.types) rule.operands.push_back(factors(type.shape.size()));
  rule.results.push_back(factors(result_rank));
  return rule;
}

ValueId minus_last_max(Builder& b, ValueId x) {
  const Shape shape = b.type(x).shape;
  const ValueId highest = b.apply("reduce_max", {x}, {{"dims", last_dim(shape)}});
  return b.apply("subtract", {x, along_last(b, highest, shape)});
}

ValueId sum_last(Builder& b, ValueId x) {
  return b.apply("reduce_sum", {x}, {{"dims", last_dim(b.type(x).shape)}});
}

ValueId along_last(Builder& b, ValueId value, const Shape& shape) {
  return b.broadcast(value, shape, all_dims(shape.size() - 1));
}

std::vector<Example> last_dim_examples() {
  std::vector<Example> out;
  const Shape shapes[] = {{1}, {5}, {0, 3}, {3, 0}, {3, 5}, {2, 3, 4}, {batch(7), 3}, {65, 67}};
  for (const Shape& shape : shapes) {
    out.push_back({{{DType::f64, shape}}, {}});
    out.back().check_gradient = element_count(shape) < 100;
  }
  // e^800 is no f64: the maximum has to be taken off first.
  Example extreme{{{DType::f64, {3, 5}}}, {}};
  extreme.low = 700;
  extreme.high = 900;
  extreme.check_gradient = false;
  out.push_back(extreme);
  return out;
}

std::vector<Example> class_examples() {
  std::vector<Example> out;
  const auto add = [&](Dim rows, std::int64_t classes, DType labels) {
    out.push_back({{{DType::f64, {rows, classes}}, {labels, {rows}}}, {}});
    out.back().integer_below = classes;
    out.back().check_gradient = rows.bound < 100;
  };
  add(1, 1, DType::i32);
  add(0, 5, DType::i32);
  add(7, 5, DType::i64);
  add(batch(7), 3, DType::i32);
  add(513, 10, DType::i32);
  out.push_back({{{DType::f64, {batch(3), 2, 4}}, {DType::i32, {batch(3), 2}}}, {}});
  out.push_back({{{DType::f64, {4}}, {DType::i64, {}}}, {}});
  return out;
}

}  // namespace penstock::program
