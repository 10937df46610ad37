#include "executor/compiler/differentiate/optimizer.h"

#include <algorithm>
#include <utility>

#include "executor/compiler/differentiate/clipping.h"
#include "schema/program/optimizers.h"

namespace penstock::compiler {
namespace {

using program::DType;
using program::ValueId;

program::Variable zeros(std::string name, program::TensorType type) {
  return {std::move(name), std::move(type), {}, false};
}

}  // namespace

std::string gradient_variable(std::string_view parameter) {
  return "gradient/" + std::string(parameter);
}

std::vector<std::string> state_variables(std::string_view optimizer, std::string_view parameter) {
  const std::string prefix = "optimizer/" + std::string(parameter) + "/";
  std::vector<std::string> names;
  const program::OptimizerRow* row = program::find_optimizer(optimizer);
  PENSTOCK_CHECK(row != nullptr, "the optimizer has been looked up before");
  for (const std::string_view state : row->states) names.push_back(prefix + std::string(state));
  return names;
}

Status declare_optimizer(program::Program& program, const program::Training& training) {
  if (program::find_optimizer(training.optimizer) == nullptr)
    return invalid("there is no optimizer '" + training.optimizer + "'; there are " +
                   program::optimizer_names());
  PENSTOCK_TRY(add_variable(program, zeros(std::string(kStepVariable), {DType::i64, {}})));
  program::Variable rate = zeros(std::string(kLearningRateVariable), {DType::f64, {}});
  rate.initializer.a = training.learning_rate;
  PENSTOCK_TRY(add_variable(program, std::move(rate)));
  const std::size_t parameters = program.variables.size();
  for (std::size_t v = 0; v < parameters; ++v) {
    const program::Variable parameter = program.variables[v];
    if (!parameter.trainable) continue;
    PENSTOCK_TRY(add_variable(program, zeros(gradient_variable(parameter.name), parameter.type)));
    for (std::string& name : state_variables(training.optimizer, parameter.name))
      PENSTOCK_TRY(add_variable(program, zeros(std::move(name), parameter.type)));
  }
  return {};
}

Status append_optimizer(program::Builder& builder, const program::Training& training,
                        const Gradients& unbounded) {
  PENSTOCK_ASSIGN(const Gradients gradients, clip(builder, training, unbounded));
  PENSTOCK_ASSIGN(const ValueId old_step, builder.try_read(kStepVariable));
  const ValueId step = builder.apply("add", {old_step, builder.constant(1, DType::i64)});
  PENSTOCK_TRY(builder.try_write(kStepVariable, step));
  PENSTOCK_ASSIGN(const ValueId rate, builder.try_read(kLearningRateVariable));
  // In the order in which the gradients are made, so that the first updates run while the last
  // gradients are still being communicated.
  std::vector<std::pair<ValueId, std::int32_t>> order;
  for (const auto& [variable, gradient] : gradients) order.emplace_back(gradient, variable);
  std::sort(order.begin(), order.end());
  for (const auto& [gradient, variable] : order) {
    const std::string parameter =
        builder.program().variables[static_cast<std::size_t>(variable)].name;
    const std::vector<std::string> states = state_variables(training.optimizer, parameter);
    PENSTOCK_ASSIGN(const ValueId value, builder.try_read(parameter));
    std::vector<ValueId> operands = {value, gradient};
    for (const std::string& state : states) {
      PENSTOCK_ASSIGN(const ValueId read, builder.try_read(state));
      operands.push_back(read);
    }
    if (program::find_optimizer(training.optimizer)->counts) operands.push_back(step);
    operands.push_back(rate);
    PENSTOCK_ASSIGN(const std::vector<ValueId> results,
                    builder.try_apply(training.optimizer, operands, training.options));
    PENSTOCK_TRY(builder.try_write(parameter, results[0]));
    for (std::size_t i = 0; i < states.size(); ++i)
      PENSTOCK_TRY(builder.try_write(states[i], results[i + 1]));
  }
  return {};
}

}  // namespace penstock::compiler
