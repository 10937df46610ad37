#include "executor/compiler/schedule/schedule.h"

#include <algorithm>

#include "base/check.h"
#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"
#include "executor/compiler/partition/choose.h"
#include "executor/compiler/schedule/inline_regions.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::Kernel;

std::optional<Kernel> kernel_of(const ShardedNode& node) {
  return node.collective ? std::nullopt : program::op_row(node.op).kernel;
}

class Scheduler {
 public:
  Scheduler(const ShardedEntry& entry, const std::vector<std::string>& labels,
            const program::Mesh& mesh)
      : entry_(entry), labels_(labels), mesh_(mesh), uses_(entry.values.size()) {
    for (std::size_t n = 0; n < entry.nodes.size(); ++n)
      for (const ValueId id : entry.nodes[n].inputs) uses_[at(id)].push_back(n);
    out_.name = entry.name;
    out_.values = entry.values;
    out_.views.resize(entry.values.size());
    out_.outputs = entry.outputs;
    out_.writes = entry.writes;
  }

  Result<Schedule> run() {
    for (const ShardedValue& value : entry_.values) PENSTOCK_TRY(check_time_cut(value));
    for (const bool before : {true, false})
      for (std::size_t n = 0; n < entry_.nodes.size(); ++n)
        if ((entry_.nodes[n].phase == Phase::before) == before && !make_view(n)) add_step(n);
    return std::move(out_);
  }

 private:
  /// A buffer holds micro-batches one behind the other, which only works along the first dimension.
  Status check_time_cut(const ShardedValue& value) const {
    const int time = time_axis(mesh_);
    if (value.source != program::Source::input || time < 0) return {};
    const program::AxisSharding& cut = value.sharding[static_cast<std::size_t>(time)];
    if (cut.spread != program::Spread::split || cut.dim == 0) return {};
    return Error{ErrorCode::unimplemented,
                 "input " + value.name + ": micro-batches are cut along dimension " +
                     std::to_string(cut.dim) + "; only the first dimension can be"};
  }

  bool only_maps_use(ValueId id) const {
    return std::all_of(uses_[at(id)].begin(), uses_[at(id)].end(), [&](std::size_t n) {
      const std::optional<Kernel> kernel = kernel_of(entry_.nodes[n]);
      return kernel && program::is_map(*kernel);
    });
  }

  /// Whether a reshape can share the operand's bytes, and those of one micro-batch are in one
  /// place.
  bool shares_bytes(const ShardedNode& node) const {
    const ShardedValue& from = entry_.value(node.inputs[0]);
    const ShardedValue& to = entry_.value(node.outputs[0]);
    if (!is_time_split(from.sharding, mesh_) && !is_time_split(to.sharding, mesh_)) return true;
    return !from.local.shape.empty() && !to.local.shape.empty() &&
           from.local.shape[0] == to.local.shape[0] && from.sharding == to.sharding &&
           !out_.is_output(node.inputs[0]);
  }

  bool make_view(std::size_t n) {
    const ShardedNode& node = entry_.nodes[n];
    const ValueId result = node.outputs[0];
    const bool leaves = out_.is_output(result) || out_.is_written(result);
    const std::optional<Kernel> kernel = kernel_of(node);
    if (kernel == Kernel::copy_plain && !leaves && shares_bytes(node)) {
      out_.views[at(result)] = View{node.inputs[0], false, {}};
      return true;
    }
    if (kernel == Kernel::copy_broadcast && !leaves && only_maps_use(result)) {
      out_.views[at(result)] = View{node.inputs[0], true, node.attributes.integers("dims")};
      return true;
    }
    const bool time_slice = node.collective && node.collective->kind == CollectiveKind::slice &&
                            mesh_.axes[static_cast<std::size_t>(node.collective->axis)].time;
    if (time_slice) out_.views[at(result)] = View{node.inputs[0], false, {}};
    return time_slice;
  }

  void add_step(std::size_t n) {
    const ShardedNode& node = entry_.nodes[n];
    if (node.collective && node.collective->bucket >= 0 &&
        joins_last(*node.collective, node.phase)) {
      Step& last = out_.steps.back();
      last.inputs.push_back(node.inputs[0]);
      last.outputs.push_back(node.outputs[0]);
      last.label += " %" + std::to_string(node.outputs[0].index);
      return;
    }
    Step step;
    step.phase = node.phase;
    step.inputs = node.inputs;
    step.outputs = node.outputs;
    step.label = labels_[n];
    if (node.collective) {
      if (node.collective->kind == CollectiveKind::accumulate)
        step.call = AccumulateCall{};
      else
        step.call =
            CollectiveCall{*node.collective, entry_.value(node.inputs[0]).local.dtype, 0, {}};
    } else if (const std::optional<Kernel> kernel = kernel_of(node)) {
      step.call = KernelCall{*kernel, node.attributes};
      step.elementwise = program::is_map(*kernel);
    } else {
      step.call = RegionCall{node.op, node.attributes};
      program::Types types;
      for (const ValueId id : node.inputs) types.push_back(entry_.value(id).local);
      step.elementwise = is_pointwise(program::op_row(node.op).sharding({types, node.attributes}));
    }
    out_.steps.push_back(std::move(step));
  }

  bool joins_last(const Collective& collective, Phase phase) const {
    if (out_.steps.empty() || out_.steps.back().phase != phase) return false;
    const auto* last = std::get_if<CollectiveCall>(&out_.steps.back().call);
    return last != nullptr && last->collective.bucket == collective.bucket;
  }

  const ShardedEntry& entry_;
  const std::vector<std::string>& labels_;
  const program::Mesh& mesh_;
  std::vector<std::vector<std::size_t>> uses_;  // nodes by value
  Schedule out_;
};

}  // namespace

ValueId Schedule::root(ValueId id) const {
  for (std::size_t hops = 0; views[at(id)]; ++hops) {
    PENSTOCK_CHECK(hops < values.size(), "a view of itself");
    id = views[at(id)]->of;
  }
  return id;
}

bool Schedule::is_output(ValueId id) const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const program::NamedValue& output) { return output.value == id; });
}

bool Schedule::is_written(ValueId id) const {
  return std::any_of(writes.begin(), writes.end(),
                     [&](const program::VariableWrite& write) { return write.value == id; });
}

ValueId Schedule::clone(ValueId id) {
  const ValueId copy{static_cast<std::int32_t>(values.size())};
  ShardedValue value = values[at(id)];
  value.source = program::Source::node;
  values.push_back(std::move(value));
  views.emplace_back();
  return copy;
}

Result<ScheduledProgram> schedule(const ShardedProgram& program, const Target& target) {
  ScheduledProgram out{program.seed, program.plan, program.variables, {}};
  for (const ShardedEntry& entry : program.entries) {
    std::vector<std::string> labels;
    const std::string where = "entry " + entry.name;
    auto inlined = inline_regions(entry, target, program.plan.mesh, labels);
    if (!inlined.ok()) return std::move(inlined).error().in(where);
    auto scheduled = Scheduler(*inlined, labels, program.plan.mesh).run();
    if (!scheduled.ok()) return std::move(scheduled).error().in(where);
    out.entries.push_back(std::move(*scheduled));
  }
  return out;
}

}  // namespace penstock::compiler
