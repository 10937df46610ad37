#include <algorithm>
#include <string>

#include "executor/compiler/fuse/grouping.h"
#include "executor/compiler/index.h"
#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {
namespace {

Error broken(const Step& step, const std::string& what) {
  return {ErrorCode::internal, step.label + ": " + what};
}

Status check_fused(const Schedule& schedule, const Step& step, const FusedCall& call) {
  for (const ValueId id : step.outputs)
    if (!same_extents(schedule.value(id), schedule.value(step.outputs[0])))
      return broken(step, "its results differ in shape");
  if (call.maps.size() > kFusedMapsMax || step.inputs.size() > kFusedInputsMax)
    return broken(step, "too much is fused");
  if (step.outputs.empty() || call.results.size() != step.outputs.size())
    return broken(step, "its results are not those of its maps");
  for (std::size_t m = 0; m < call.maps.size(); ++m)
    for (const int operand : call.maps[m].operands)
      if (operand < 0 || static_cast<std::size_t>(operand) >= step.inputs.size() + m)
        return broken(step, "map " + std::to_string(m) + " reads what is not made yet");
  for (const int result : call.results)
    if (result < 0 || static_cast<std::size_t>(result) >= call.maps.size())
      return broken(step, "a result that no map makes");
  return {};
}

Status check_entry(const Schedule& schedule) {
  std::vector<bool> made(schedule.values.size(), false);
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = schedule.values[i].source != program::Source::node;
  for (const Step& step : schedule.steps) {
    for (const ValueId id : step.inputs)
      if (!made[at(schedule.root(id))]) return broken(step, "reads what no step before it makes");
    for (const ValueId id : step.outputs) made[at(id)] = true;
    if (const auto* fused = std::get_if<FusedCall>(&step.call))
      PENSTOCK_TRY(check_fused(schedule, step, *fused));
  }
  for (const program::NamedValue& output : schedule.outputs)
    if (!made[at(schedule.root(output.value))])
      return Error{ErrorCode::internal, "output " + output.name + ": no step makes it"};
  return {};
}

}  // namespace

Status verify(const ScheduledProgram& program) {
  for (const Schedule& entry : program.entries)
    if (Status status = check_entry(entry); !status.ok())
      return std::move(status).error().in("entry " + entry.name);
  return {};
}

}  // namespace penstock::compiler
