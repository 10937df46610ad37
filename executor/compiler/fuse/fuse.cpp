#include "executor/compiler/fuse/fuse.h"

#include <algorithm>

#include "executor/compiler/fuse/grouping.h"
#include "executor/compiler/index.h"

namespace penstock::compiler {
namespace {

/// Whether something outside the group needs the value itself.
class Needed {
 public:
  Needed(const Schedule& schedule, const std::vector<Group>& groups)
      : readers_(schedule.values.size()), leaves_(schedule.values.size(), false) {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (const Step& step : groups[g])
        for (const ValueId id : step.inputs) readers_[at(schedule.root(id))].push_back(g);
    for (const program::NamedValue& output : schedule.outputs)
      leaves_[at(schedule.root(output.value))] = true;
    for (const program::VariableWrite& write : schedule.writes)
      leaves_[at(schedule.root(write.value))] = true;
  }

  bool outside(std::size_t group, ValueId id) const {
    const auto& readers = readers_[at(id)];
    return leaves_[at(id)] || std::any_of(readers.begin(), readers.end(),
                                          [&](std::size_t reader) { return reader != group; });
  }

 private:
  std::vector<std::vector<std::size_t>> readers_;  // groups, by root value
  std::vector<bool> leaves_;
};

/// The position of the id, which is added if it is new.
int index_of(std::vector<ValueId>& ids, ValueId id) {
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found == ids.end()) ids.push_back(id);
  return static_cast<int>(found - ids.begin());
}

Step join(const Schedule& schedule, const Group& group, std::size_t number, const Needed& needed) {
  Step out;
  out.phase = group.front().phase;
  out.elementwise = true;
  std::vector<ValueId> made;
  for (const Step& step : group) made.push_back(step.outputs[0]);
  const auto made_by = [&](ValueId id) { return std::find(made.begin(), made.end(), id); };
  for (const Step& step : group)
    for (const ValueId id : step.inputs)
      if (made_by(id) == made.end()) index_of(out.inputs, id);
  FusedCall call;
  for (std::size_t m = 0; m < group.size(); ++m) {
    const auto& kernel = std::get<KernelCall>(group[m].call);
    FusedMap map{kernel.kernel, kernel.attributes, schedule.value(made[m]).local.dtype, {}};
    for (const ValueId id : group[m].inputs) {
      const auto by = made_by(id);
      map.operands.push_back(by == made.end() ? index_of(out.inputs, id)
                                              : static_cast<int>(out.inputs.size()) +
                                                    static_cast<int>(by - made.begin()));
    }
    call.maps.push_back(std::move(map));
    if (needed.outside(number, made[m])) {
      out.outputs.push_back(made[m]);
      call.results.push_back(static_cast<int>(m));
    }
    out.label += (m == 0 ? "" : " + ") + group[m].label;
  }
  out.call = std::move(call);
  return out;
}

}  // namespace

ScheduledProgram fuse(ScheduledProgram program) {
  for (Schedule& entry : program.entries) {
    const std::vector<Group> groups = group_maps(entry);
    const Needed needed(entry, groups);
    std::vector<Step> steps;
    for (std::size_t g = 0; g < groups.size(); ++g)
      steps.push_back(groups[g].size() == 1 ? groups[g].front()
                                            : join(entry, groups[g], g, needed));
    entry.steps = std::move(steps);
  }
  return program;
}

}  // namespace penstock::compiler
