#include "executor/compiler/fuse/grouping.h"

#include <algorithm>
#include <functional>
#include <set>

#include "executor/compiler/index.h"

namespace penstock::compiler {
namespace {

bool is_single_map(const Step& step) {
  const auto* kernel = std::get_if<KernelCall>(&step.call);
  return kernel != nullptr && program::is_map(kernel->kernel) && step.outputs.size() == 1;
}

class Grouper {
 public:
  explicit Grouper(const Schedule& schedule)
      : schedule_(schedule), group_of_(schedule.values.size(), kNone) {}

  std::vector<Group> run() {
    for (const Step& step : schedule_.steps) add(step);
    groups_.erase(std::remove_if(groups_.begin(), groups_.end(),
                                 [](const Group& group) { return group.empty(); }),
                  groups_.end());
    return std::move(groups_);
  }

 private:
  static constexpr int kNone = -1;

  void add(const Step& step) {
    int home = kNone;
    if (is_single_map(step))
      for (const int maker : makers_of(step))
        if (may_join(groups_[at(maker)], step) && !reads_by_view(step, maker)) {
          home = place_with(step, maker);
          if (home != kNone) break;
        }
    if (home == kNone) {
      home = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    groups_[at(home)].push_back(step);
    for (const ValueId id : step.outputs) group_of_[at(id)] = home;
    if (is_single_map(step)) gather_others(home);
  }

  int maker(ValueId id) const { return group_of_[at(schedule_.root(id))]; }

  /// The groups that make what the step reads, the latest first.
  std::vector<int> makers_of(const Step& step) const {
    std::set<int, std::greater<>> out;
    for (const ValueId id : step.inputs)
      if (maker(id) != kNone) out.insert(maker(id));
    return {out.begin(), out.end()};
  }

  /// A view of what the group makes is another tensor, there only when the group has ended.
  bool reads_by_view(const Step& step, int group) const {
    return std::any_of(step.inputs.begin(), step.inputs.end(), [&](ValueId id) {
      return schedule_.views[at(id)].has_value() && maker(id) == group;
    });
  }

  bool may_join(const Group& group, const Step& step) const {
    const Step& first = group.front();
    if (!is_single_map(first) || first.phase != step.phase ||
        !same_extents(schedule_.value(first.outputs[0]), schedule_.value(step.outputs[0])))
      return false;
    Group joined = group;
    joined.push_back(step);
    return fits(joined);
  }

  bool fits(const Group& group) const {
    std::set<ValueId> made, read;
    for (const Step& step : group) {
      for (const ValueId id : step.inputs)
        if (made.find(id) == made.end()) read.insert(id);
      made.insert(step.outputs[0]);
    }
    return group.size() <= kFusedMapsMax && read.size() <= kFusedInputsMax;
  }

  /// Where the step can run with the group that makes one of its operands: there, if everything
  /// else that it reads is made before; or at the end, if nothing reads the group's results until
  /// then.
  int place_with(const Step& step, int group) {
    const bool ready = std::all_of(step.inputs.begin(), step.inputs.end(),
                                   [&](ValueId id) { return maker(id) <= group; });
    if (ready) return group;
    if (is_read_between(group, static_cast<int>(groups_.size()))) return kNone;
    const int last = static_cast<int>(groups_.size());
    groups_.emplace_back();
    move(group, last);
    return last;
  }

  /// Whether a group after `group` and before `end` reads what it makes.
  bool is_read_between(int group, int end) const {
    for (int g = group + 1; g < end; ++g)
      for (const Step& step : groups_[at(g)])
        for (const ValueId id : step.inputs)
          if (maker(id) == group) return true;
    return false;
  }

  /// The steps of one group go before those of a later one.
  void move(int from, int to) {
    Group& target = groups_[at(to)];
    Group& source = groups_[at(from)];
    for (const Step& step : source)
      for (const ValueId id : step.outputs) group_of_[at(id)] = to;
    target.insert(target.begin(), source.begin(), source.end());
    source.clear();
  }

  /// Other groups that make operands of this one join it, where nothing else reads them before.
  void gather_others(int home) {
    bool moved = true;
    while (moved) {
      moved = false;
      for (const int other : operands_of(home)) {
        const Group& group = groups_[at(other)];
        if (!may_join(group, groups_[at(home)].front()) || is_read_between(other, home)) continue;
        Group joined = group;
        joined.insert(joined.end(), groups_[at(home)].begin(), groups_[at(home)].end());
        const bool by_view =
            std::any_of(groups_[at(home)].begin(), groups_[at(home)].end(),
                        [&](const Step& step) { return reads_by_view(step, other); });
        if (by_view || !fits(joined)) continue;
        move(other, home);
        moved = true;
        break;
      }
    }
  }

  std::vector<int> operands_of(int home) const {
    std::set<int> out;
    for (const Step& step : groups_[at(home)])
      for (const int maker : makers_of(step))
        if (maker != home) out.insert(maker);
    return {out.begin(), out.end()};
  }

  const Schedule& schedule_;
  std::vector<Group> groups_;
  std::vector<int> group_of_;  // by root value: the group that makes it
};

}  // namespace

bool same_extents(const ShardedValue& a, const ShardedValue& b) {
  if (a.local.shape != b.local.shape || a.sharding.size() != b.sharding.size()) return false;
  for (std::size_t axis = 0; axis < a.sharding.size(); ++axis) {
    const bool a_cut = a.sharding[axis].spread == program::Spread::split;
    const bool b_cut = b.sharding[axis].spread == program::Spread::split;
    if (a_cut != b_cut || (a_cut && a.sharding[axis].dim != b.sharding[axis].dim)) return false;
  }
  return true;
}

std::vector<Group> group_maps(const Schedule& schedule) {
  return Grouper(schedule).run();
}

}  // namespace penstock::compiler
