#include "executor/compiler/place/copies.h"

#include <algorithm>
#include <set>

#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"

namespace penstock::compiler {
namespace {

using program::Source;

bool is_all_reduce(const Step& step) {
  const auto* call = std::get_if<CollectiveCall>(&step.call);
  return call != nullptr && call->collective.kind == CollectiveKind::all_reduce;
}

/// The step that makes each value, or -1.
std::vector<int> makers_of(const Schedule& schedule) {
  std::vector<int> out(schedule.values.size(), -1);
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (const ValueId id : schedule.steps[s].outputs) out[at(id)] = static_cast<int>(s);
  return out;
}

Step copy_step(ValueId from, ValueId to, Phase phase, std::string label) {
  return {phase, KernelCall{program::Kernel::copy_plain, {}}, {from}, {to}, std::move(label),
          false};
}

/// The old values of the variables: at most one value each.
std::vector<ValueId> variable_reads(const Schedule& schedule, std::size_t variables) {
  std::vector<ValueId> out(variables);
  for (std::size_t i = 0; i < schedule.values.size(); ++i)
    if (schedule.values[i].source == Source::variable)
      out[static_cast<std::size_t>(schedule.values[i].index)] = {static_cast<std::int32_t>(i)};
  return out;
}

std::size_t variable_count(const Schedule& schedule) {
  std::int32_t count = 0;
  for (const ShardedValue& value : schedule.values)
    if (value.source == Source::variable) count = std::max(count, value.index + 1);
  for (const program::VariableWrite& write : schedule.writes)
    count = std::max(count, write.variable + 1);
  return static_cast<std::size_t>(count);
}

/// Whether the step may write over `old` while it reads it.
bool overwrites_safely(const Schedule& schedule, const Step& step, ValueId old) {
  if (!step.elementwise) return false;
  for (const ValueId input : step.inputs) {
    if (schedule.root(input) != old) continue;
    for (ValueId id = input; schedule.views[at(id)]; id = schedule.views[at(id)]->of)
      if (schedule.views[at(id)]->broadcast) return false;
  }
  return true;
}

/// Whether the all_reduce can sum where its operand lies.
bool sums_in_place(const Schedule& schedule, ValueId operand, int step,
                   const std::vector<std::vector<int>>& uses, const std::vector<int>& makers,
                   const std::vector<bool>& leaves) {
  const ValueId root = schedule.root(operand);
  const int maker = makers[at(root)];
  if (maker < 0 || leaves[at(root)]) return false;
  if (communicates(schedule.steps[static_cast<std::size_t>(maker)])) return false;
  int reads = 0;
  for (const ValueId id : schedule.steps[static_cast<std::size_t>(step)].inputs)
    reads += schedule.root(id) == root ? 1 : 0;
  if (reads != 1) return false;
  // This step's own use counts until its result is used, as a communication under way; another
  // step that reads later, or one in flight until later, spoils it.
  int own = 0;
  for (const int use : uses[at(root)]) own += use >= step ? 1 : 0;
  return own == 1;
}

}  // namespace

bool communicates(const Step& step) {
  const auto* call = std::get_if<CollectiveCall>(&step.call);
  return call != nullptr && call->collective.kind != CollectiveKind::slice;
}

std::vector<std::vector<int>> uses_of(const Schedule& schedule) {
  const int end = static_cast<int>(schedule.steps.size());
  std::vector<std::vector<int>> out(schedule.values.size());
  for (int s = 0; s < end; ++s)
    for (const ValueId id : schedule.steps[static_cast<std::size_t>(s)].inputs)
      out[at(schedule.root(id))].push_back(s);
  for (const program::NamedValue& output : schedule.outputs)
    out[at(schedule.root(output.value))].push_back(end);
  for (const program::VariableWrite& write : schedule.writes)
    out[at(schedule.root(write.value))].push_back(end);
  // Backwards, so that chains of communications are known from their end.
  for (int s = end; s-- > 0;) {
    const Step& step = schedule.steps[static_cast<std::size_t>(s)];
    if (!communicates(step)) continue;
    int done = end;
    for (const ValueId id : step.outputs)
      for (const int use : out[at(schedule.root(id))]) done = std::min(done, use);
    for (const ValueId id : step.inputs)
      for (int& use : out[at(schedule.root(id))])
        if (use == s) use = std::max(use, done);
  }
  return out;
}

std::vector<bool> writes_in_place(const Schedule& schedule) {
  const std::vector<std::vector<int>> uses = uses_of(schedule);
  const std::vector<int> makers = makers_of(schedule);
  const std::vector<ValueId> old = variable_reads(schedule, variable_count(schedule));
  std::set<ValueId> taken, summed;
  for (const Step& step : schedule.steps)
    if (is_all_reduce(step))
      for (const auto* ids : {&step.inputs, &step.outputs})
        for (const ValueId id : *ids) summed.insert(schedule.root(id));
  std::vector<bool> out;
  for (const program::VariableWrite& write : schedule.writes) {
    const ValueId root = schedule.root(write.value);
    const int maker = makers[at(root)];
    bool good = maker >= 0 && summed.find(root) == summed.end() && taken.insert(root).second;
    good = good &&
           byte_count(schedule.value(root).local) == byte_count(schedule.value(write.value).local);
    if (good) {
      const Step& step = schedule.steps[static_cast<std::size_t>(maker)];
      good = !communicates(step) && !std::holds_alternative<AccumulateCall>(step.call);
      const ValueId read = old[static_cast<std::size_t>(write.variable)];
      if (read)
        for (const int use : uses[at(read)])
          good = good && (use < maker || (use == maker && overwrites_safely(schedule, step, read)));
    }
    out.push_back(good);
  }
  return out;
}

void copy_shared_operands(Schedule& schedule) {
  const std::vector<std::vector<int>> uses = uses_of(schedule);
  const std::vector<int> makers = makers_of(schedule);
  std::vector<bool> leaves(schedule.values.size(), false);
  for (const program::NamedValue& output : schedule.outputs)
    leaves[at(schedule.root(output.value))] = true;
  for (const program::VariableWrite& write : schedule.writes)
    leaves[at(schedule.root(write.value))] = true;
  std::vector<Step> steps;
  const std::vector<Step> before = schedule.steps;
  for (std::size_t s = 0; s < before.size(); ++s) {
    Step step = before[s];
    if (is_all_reduce(step))
      for (ValueId& input : step.inputs) {
        if (sums_in_place(schedule, input, static_cast<int>(s), uses, makers, leaves)) continue;
        const ValueId copy = schedule.clone(input);
        steps.push_back(copy_step(input, copy, step.phase, "copy for " + step.label));
        input = copy;
      }
    steps.push_back(std::move(step));
  }
  schedule.steps = std::move(steps);
}

void copy_communicated_outputs(Schedule& schedule, const program::Mesh& mesh) {
  const std::vector<int> makers = makers_of(schedule);
  std::vector<std::vector<Step>> behind(schedule.steps.size());
  for (program::NamedValue& output : schedule.outputs) {
    const ValueId root = schedule.root(output.value);
    const int maker = makers[at(root)];
    if (maker < 0 || !is_time_split(schedule.value(root).sharding, mesh)) continue;
    const auto step = static_cast<std::size_t>(maker);
    if (!communicates(schedule.steps[step])) continue;
    const ValueId copy = schedule.clone(root);
    behind[step].push_back(copy_step(root, copy, Phase::each, "copy of output " + output.name));
    output.value = copy;
  }
  std::vector<Step> steps;
  for (std::size_t s = 0; s < behind.size(); ++s) {
    steps.push_back(std::move(schedule.steps[s]));
    for (Step& copy : behind[s]) steps.push_back(std::move(copy));
  }
  schedule.steps = std::move(steps);
}

std::vector<int> copy_ends(Schedule& schedule, const program::Mesh& mesh) {
  const Phase phase = time_axis(mesh) >= 0 ? Phase::after : Phase::each;
  schedule.writes.erase(
      std::remove_if(schedule.writes.begin(), schedule.writes.end(),
                     [&](const program::VariableWrite& write) {
                       const ShardedValue& root = schedule.value(schedule.root(write.value));
                       return root.source == Source::variable && root.index == write.variable;
                     }),
      schedule.writes.end());
  const std::vector<bool> in_place = writes_in_place(schedule);
  std::set<std::int32_t> written;
  for (const program::VariableWrite& write : schedule.writes) written.insert(write.variable);
  const auto lies_in_written = [&](ValueId id) {
    const ShardedValue& root = schedule.value(schedule.root(id));
    return root.source == Source::variable && written.find(root.index) != written.end();
  };
  std::vector<Step> copies;
  for (program::NamedValue& output : schedule.outputs) {
    if (!lies_in_written(output.value)) continue;
    const ValueId copy = schedule.clone(output.value);
    copies.push_back(copy_step(output.value, copy, phase, "copy of output " + output.name));
    output.value = copy;
  }
  std::vector<ValueId> sources;
  for (const program::VariableWrite& write : schedule.writes) {
    sources.push_back(write.value);
    if (!lies_in_written(write.value)) continue;
    sources.back() = schedule.clone(write.value);
    copies.push_back(copy_step(write.value, sources.back(), phase, "copy of an old value"));
  }
  std::vector<std::pair<ValueId, int>> made;
  for (std::size_t w = 0; w < schedule.writes.size(); ++w) {
    const program::VariableWrite& write = schedule.writes[w];
    if (in_place[w]) {
      made.emplace_back(schedule.root(write.value), write.variable);
      continue;
    }
    const ValueId target = schedule.clone(sources[w]);
    copies.push_back(copy_step(sources[w], target, phase,
                               "write of variable " + std::to_string(write.variable)));
    made.emplace_back(target, write.variable);
  }
  for (Step& copy : copies) schedule.steps.push_back(std::move(copy));
  std::vector<int> out(schedule.values.size(), -1);
  for (const auto& [value, variable] : made) out[at(value)] = variable;
  return out;
}

}  // namespace penstock::compiler
