#pragma once

#include <string>
#include <string_view>

#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// A training program of two dense layers: x [<=batch,8], labels [<=batch] -> loss, logits.
program::Program sample_mlp(std::string_view optimizer, std::int64_t batch = 64);
/// Convolution, relu, pooling, dense layer on [<=batch,8,8,1].
program::Program sample_convnet(std::int64_t batch = 64);

/// Failed checks with the parser's words if the text is wrong.
program::Program parsed(std::string_view text);
/// `lines` is the body of entry main.
program::Program with_main(std::string_view variables, std::string_view lines);
program::Plan plan_of(std::string_view lines);

}  // namespace penstock::compiler
