#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::program {

/// How an op of the list serves as an optimizer: its operands are parameter, gradient, one tensor
/// for each state, the number of the step if it counts, and the learning rate; its results are the
/// new parameter and states. A new optimizer is an op and a row here.
struct OptimizerRow {
  std::string_view op;
  std::vector<std::string_view> states;  // variables optimizer/PARAMETER/STATE, from 0
  bool counts = false;                   // takes the number of the step, from 1
};

std::span<const OptimizerRow> optimizers();
/// Null if there is none of this name.
const OptimizerRow* find_optimizer(std::string_view op);
/// "adam, adamw, lion and sgd", for messages.
std::string optimizer_names();

}  // namespace penstock::program
