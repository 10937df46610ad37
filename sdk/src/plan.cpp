#include "sdk/src/plan.h"

#include "schema/program/builder.h"
#include "sdk/src/graph.h"

namespace penstock::detail {
namespace {

program::Sharding spread(const program::Mesh& mesh, int dim) {
  if (dim < 0) return program::Sharding(mesh.axes.size());
  return program::Sharding(mesh.axes.size(), {program::Spread::split, dim});
}

program::Training training_of(const AdamW& o) {
  program::Training training;
  training.optimizer = "adamw";
  training.options = {{"beta1", o.beta1},
                      {"beta2", o.beta2},
                      {"epsilon", o.epsilon},
                      {"weight_decay", o.weight_decay}};
  training.learning_rate = o.learning_rate;
  return training;
}

program::Training training_of(const Adam& o) {
  program::Training training =
      training_of(AdamW{o.learning_rate, o.beta1, o.beta2, o.epsilon, o.weight_decay});
  training.optimizer = "adam";
  return training;
}

program::Training training_of(const Lion& o) {
  program::Training training;
  training.optimizer = "lion";
  training.options = {{"beta1", o.beta1}, {"beta2", o.beta2}, {"weight_decay", o.weight_decay}};
  training.learning_rate = o.learning_rate;
  return training;
}

program::Training training_of(const SGD& o) {
  program::Training training;
  training.optimizer = "sgd";
  training.options = {{"momentum", o.momentum}, {"weight_decay", o.weight_decay}};
  training.learning_rate = o.learning_rate;
  return training;
}

void add_output(program::Program& program, const Value& value, int entry, const std::string& name) {
  if (!value.shape().empty())
    throw Exception(
        invalid(name + " is " + value.text() + "; a scalar is needed: take its mean or its sum"));
  const auto id =
      value_or_throw(GraphAccess::resolve(*GraphAccess::graph(value), entry, value, name));
  // The program may return it under this name already.
  for (const program::NamedValue& output : program.entries[static_cast<std::size_t>(entry)].outputs)
    if (output.name == name && output.value == id) return;
  program::Builder builder(program, static_cast<std::size_t>(entry));
  value_or_throw(builder.try_output(name, id));
}

}  // namespace

Result<program::Plan> data_plan(const program::Program& program, const DataPlan& options) {
  if (options.devices < 1 || options.micro_batches < 1)
    return invalid("plan: " + std::to_string(options.devices) + " devices and " +
                   std::to_string(options.micro_batches) +
                   " micro-batches; both must be 1 or more");
  program::Plan plan;
  plan.bucket_bytes = options.bucket_bytes;
  plan.mesh.axes = {{"data", options.devices, false}, {"micro", options.micro_batches, true}};
  for (const program::Entry& entry : program.entries)
    for (const program::ValueInfo& value : entry.values)
      if (value.source == program::Source::input)
        plan.annotations.push_back(
            {entry.name, value.name, spread(plan.mesh, program::dynamic_dim(value.type.shape))});
  for (const program::Variable& variable : program.variables)
    plan.annotations.push_back({"", variable.name, spread(plan.mesh, -1)});
  return plan;
}

program::Program training_program(const Value& loss, const std::map<std::string, Value>& metrics,
                                  const Optimizer& optimizer, program::Attributes clipping) {
  if (GraphAccess::graph(loss) == nullptr || GraphAccess::is_variable(loss))
    throw Exception(invalid("train: the loss must be computed from inputs, got " + loss.text()));
  const int entry = GraphAccess::entry(loss);
  // A copy: the user's program can be trained again with other metrics.
  program::Program program = GraphAccess::graph(loss)->program;
  add_output(program, loss, entry, "loss");
  for (const auto& [name, value] : metrics) {
    if (name == "loss") throw Exception(invalid("train: a metric cannot be named 'loss'"));
    if (GraphAccess::graph(value) != GraphAccess::graph(loss))
      throw Exception(invalid("metric " + name + ": " + value.text() +
                              " belongs to another program than the loss"));
    add_output(program, value, entry, name);
  }
  program::Training training =
      std::visit([](const auto& options) { return training_of(options); }, optimizer);
  training.entry = program.entries[static_cast<std::size_t>(entry)].name;
  training.loss = "loss";
  training.clipping = std::move(clipping);
  program.training = std::move(training);
  return program;
}

}  // namespace penstock::detail
