#include "executor/compiler/differentiate/differentiate.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "executor/compiler/differentiate/backward.h"
#include "executor/compiler/differentiate/optimizer.h"
#include "executor/compiler/simplify/dead_code.h"
#include "schema/program/builder.h"

namespace penstock::compiler {
namespace {

using program::Builder;
using program::Entry;
using program::Plan;
using program::Program;
using program::Training;
using program::ValueId;

constexpr std::array<std::string_view, 4> kEntries = {"step", "forward_backward", "update",
                                                      "evaluate"};
/// A gradient is at most some ten nodes for each one: far from the limit of an entry.
constexpr std::size_t kForwardNodesMax = 5000;

Result<ValueId> find_loss(const Entry& entry, const Training& training) {
  for (const program::NamedValue& output : entry.outputs)
    if (output.name == training.loss) return output.value;
  return invalid("entry " + entry.name + " has no output '" + training.loss + "' to minimise");
}

Entry named(Entry entry, std::string_view name) {
  entry.name = name;
  return entry;
}

Result<Entry> make_step(Program& program, const Entry& forward, const Training& training) {
  program.entries.push_back(named(forward, "step"));
  Builder builder(program, program.entries.size() - 1);
  PENSTOCK_ASSIGN(const ValueId loss, find_loss(forward, training));
  PENSTOCK_ASSIGN(const Gradients gradients, append_backward(builder, loss));
  PENSTOCK_TRY(append_optimizer(builder, training, gradients));
  Entry entry = without_dead_code(program.entries.back());
  program.entries.pop_back();
  return entry;
}

Result<Entry> make_forward_backward(Program& program, const Entry& forward,
                                    const Training& training) {
  program.entries.push_back(named(forward, "forward_backward"));
  Builder builder(program, program.entries.size() - 1);
  PENSTOCK_ASSIGN(const ValueId loss, find_loss(forward, training));
  PENSTOCK_ASSIGN(const Gradients gradients, append_backward(builder, loss));
  for (const auto& [variable, gradient] : gradients) {
    const std::string sum =
        gradient_variable(program.variables[static_cast<std::size_t>(variable)].name);
    PENSTOCK_ASSIGN(const ValueId old, builder.try_read(sum));
    PENSTOCK_TRY(builder.try_write(sum, builder.apply("add", {old, gradient})));
  }
  Entry entry = without_dead_code(program.entries.back());
  program.entries.pop_back();
  return entry;
}

Result<Entry> make_update(Program& program, const Training& training) {
  Entry empty;
  empty.name = "update";
  program.entries.push_back(empty);
  Builder builder(program, program.entries.size() - 1);
  Gradients gradients;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    if (!program.variables[v].trainable) continue;
    const std::string sum = gradient_variable(program.variables[v].name);
    PENSTOCK_ASSIGN(const ValueId gradient, builder.try_read(sum));
    gradients.emplace(static_cast<std::int32_t>(v), gradient);
    PENSTOCK_TRY(builder.try_write(sum, builder.fill_like(0, program.variables[v].type)));
  }
  PENSTOCK_TRY(append_optimizer(builder, training, gradients));
  Entry entry = std::move(program.entries.back());
  program.entries.pop_back();
  return entry;
}

Entry make_evaluate(const Entry& forward) {
  Entry entry = named(forward, "evaluate");
  entry.writes.clear();
  return without_dead_code(entry);
}

bool is_new_entry(std::string_view name) {
  return std::find(kEntries.begin(), kEntries.end(), name) != kEntries.end();
}

/// Says of the new entries and variables what the plan says of those that they come from.
Plan extended(Plan plan, const Program& program, const Training& training) {
  std::vector<program::Annotation> all;
  for (const program::Annotation& a : plan.annotations) {
    if (a.entry.empty() || a.entry != training.entry || !is_new_entry(a.entry)) all.push_back(a);
    if (a.entry == training.entry && !a.entry.empty())
      for (const std::string_view entry : {"step", "forward_backward", "evaluate"})
        all.push_back({std::string(entry), a.name, a.sharding});
    const auto variable = a.entry.empty() ? program.find_variable(a.name) : std::nullopt;
    if (!variable || !program.variables[static_cast<std::size_t>(*variable)].trainable) continue;
    all.push_back({"", gradient_variable(a.name), a.sharding});
    for (const std::string& state : state_variables(training.optimizer, a.name))
      all.push_back({"", state, a.sharding});
  }
  plan.annotations = std::move(all);
  return plan;
}

Status check_names(const Program& program, const Training& training) {
  for (const Entry& entry : program.entries)
    if (is_new_entry(entry.name) && entry.name != training.entry)
      return Error{
          ErrorCode::already_exists,
          "entry " + entry.name + ": training makes an entry of this name; give yours another one"};
  return {};
}

}  // namespace

Result<Differentiated> differentiate(Program program, Plan plan) {
  if (!program.training) return Differentiated{std::move(program), std::move(plan)};
  const Training training = *program.training;
  const Entry* found = program.find_entry(training.entry);
  if (found == nullptr) return invalid("there is no entry '" + training.entry + "' to train");
  const Entry forward = *found;
  const std::string place = "entry " + training.entry;
  if (forward.nodes.size() > kForwardNodesMax)
    return Error{ErrorCode::resource_exhausted,
                 place + ": " + std::to_string(forward.nodes.size()) + " nodes are more than the " +
                     std::to_string(kForwardNodesMax) + " that can be differentiated"};
  PENSTOCK_TRY(check_names(program, training));
  PENSTOCK_TRY(declare_optimizer(program, training));
  std::vector<Entry> made;
  for (Result<Entry> entry :
       {make_step(program, forward, training), make_forward_backward(program, forward, training),
        make_update(program, training)}) {
    if (!entry.ok()) return std::move(entry).error().in(place);
    made.push_back(std::move(entry).value());
  }
  made.push_back(make_evaluate(forward));
  if (is_new_entry(training.entry))
    program.entries.erase(std::find(program.entries.begin(), program.entries.end(), forward));
  for (Entry& entry : made) program.entries.push_back(std::move(entry));
  program.training.reset();
  plan = extended(std::move(plan), program, training);
  return Differentiated{std::move(program), std::move(plan)};
}

}  // namespace penstock::compiler
