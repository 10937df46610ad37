#pragma once

#include <string_view>

#include "base/result.h"
#include "executor/runtime/backend.h"
#include "schema/program/attributes.h"
#include "schema/program/op.h"

namespace penstock::runtime::cpu {

/// A region that this backend runs whole, in one pass over memory. Each computes what the op's
/// expansion does; taking a row out of `claimed_regions` changes speed only.
struct ClaimedRegion {
  std::string_view op;
  Status (*run)(const program::Attributes& attributes, int threads, const Launch& launch);
};

std::span<const ClaimedRegion> claimed_regions();

/// The row for the op on these operand types (f32 or f64, labels i32 or i64), or null.
const ClaimedRegion* find_region(std::string_view op, std::span<const program::TensorType> types);

/// (x [.., k]) -> [.., k], over the last dimension.
Status run_softmax(const program::Attributes& attributes, int threads, const Launch& launch);
Status run_log_softmax(const program::Attributes& attributes, int threads, const Launch& launch);
/// (logits [..,k], labels [..]) -> losses [..]; NaN where the label is out of range.
Status run_cross_entropy(const program::Attributes& attributes, int threads, const Launch& launch);
/// (logits [..,k], labels [..], g [..]) -> (softmax(logits) - one_hot(labels)) * g.
Status run_cross_entropy_gradient(const program::Attributes& attributes, int threads,
                                  const Launch& launch);
/// (param, grad, momentum, learning_rate f64 []) -> (param, momentum); in place allowed.
/// Source: torch.optim.SGD, dampening 0, no Nesterov
Status run_sgd(const program::Attributes& attributes, int threads, const Launch& launch);
/// (param, grad, m, v, step i64 [], learning_rate f64 []) -> (param, m, v); in place allowed.
/// Source: torch.optim.AdamW; Loshchilov and Hutter, arXiv:1711.05101
Status run_adamw(const program::Attributes& attributes, int threads, const Launch& launch);

}  // namespace penstock::runtime::cpu
