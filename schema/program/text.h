#pragma once

#include <string>
#include <string_view>

#include "schema/program/program.h"

namespace penstock::program {

/// The stable text form, which is also the wire form. `parse(print(p)) == p` for every verified p.
///
///   penstock program 1
///   seed 7
///   variable fc1.weight: f32[784,10] trainable uniform(-0.5, 0.5)
///   entry main {
///     %0: f32[<=64,784] = input x
///     %1: f32[784,10] = read fc1.weight
///     %2: f32[<=64,10] = matmul(%0, %1) {transpose_lhs=false, transpose_rhs=false}
///     output logits = %2
///     write fc1.weight = %1
///   }
///   train main minimize loss with adamw {beta1=0.9, ...} learning_rate 0.001 {clip_norm=1.0}
std::string print(const Program& program);

/// Reads the text form, trusting nothing: sizes are bounded before anything is allocated, and the
/// result has passed `verify`.
/// Errors: invalid_argument `line 7, column 12: ...`; unimplemented for a newer format version.
Result<Program> parse(std::string_view text, const Limits& limits = {});

}  // namespace penstock::program
