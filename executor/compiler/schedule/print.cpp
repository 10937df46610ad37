#include <string>

#include "executor/compiler/index.h"
#include "executor/compiler/schedule/schedule.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

std::string value_text(const Schedule& schedule, ValueId id) {
  std::string out = "%" + std::to_string(id.index) + ": " + to_text(schedule.value(id).local);
  if (const auto& view = schedule.views[at(id)])
    out += std::string(view->broadcast ? " broadcast" : " view") + " of %" +
           std::to_string(view->of.index);
  return out;
}

std::string values_text(const Schedule& schedule, const std::vector<ValueId>& ids) {
  std::string out = "(";
  for (std::size_t i = 0; i < ids.size(); ++i)
    out += (i == 0 ? "" : ", ") + value_text(schedule, ids[i]);
  return out + ")";
}

std::string call_text(const Step& step, const program::Mesh& mesh) {
  if (const auto* kernel = std::get_if<KernelCall>(&step.call))
    return std::string(program::name(kernel->kernel));
  if (const auto* fused = std::get_if<FusedCall>(&step.call))
    return to_text(*fused, step.inputs.size());
  if (const auto* region = std::get_if<RegionCall>(&step.call))
    return "region " + std::string(program::op_row(region->op).name);
  if (const auto* call = std::get_if<CollectiveCall>(&step.call))
    return to_text(call->collective, mesh);
  return "accumulate";
}

}  // namespace

std::string print(const ScheduledProgram& program) {
  std::string out = "scheduled program\n";
  for (const Schedule& entry : program.entries) {
    out += "entry " + entry.name + " {\n";
    for (const Step& step : entry.steps)
      out += "  " + call_text(step, program.plan.mesh) + " " + values_text(entry, step.inputs) +
             " -> " + values_text(entry, step.outputs) + "  # " + step.label + "\n";
    out += "}\n";
  }
  return out;
}

}  // namespace penstock::compiler
