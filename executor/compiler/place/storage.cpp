#include "executor/compiler/place/storage.h"

#include <algorithm>

#include "base/check.h"
#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"
#include "executor/compiler/place/copies.h"

namespace penstock::compiler {
namespace {

using program::Source;

class StorageAssigner {
 public:
  StorageAssigner(const Schedule& schedule, const std::vector<int>& made_in,
                  const program::Mesh& mesh)
      : schedule_(schedule),
        mesh_(mesh),
        uses_(uses_of(schedule)),
        end_(static_cast<int>(schedule.steps.size())),
        last_use_(schedule.values.size(), -1),
        maker_(schedule.values.size(), -1) {
    out_.slots.resize(schedule.values.size());
    out_.whole.assign(schedule.values.size(), false);
    for (std::size_t i = 0; i < made_in.size(); ++i) out_.slots[i].variable = made_in[i];
    for (std::size_t i = 0; i < uses_.size(); ++i)
      for (const int use : uses_[i]) last_use_[i] = std::max(last_use_[i], use);
    for (int s = 0; s < end_; ++s) {
      for (const ValueId id : schedule.steps[at(s)].outputs) maker_[at(id)] = s;
      if (time_axis(mesh) < 0 || schedule.steps[at(s)].phase != Phase::each) continue;
      if (loop_first_ < 0) loop_first_ = s;
      loop_last_ = s;
    }
  }

  Storage run() {
    for (std::size_t i = 0; i < schedule_.values.size(); ++i) place_source(i);
    for (const program::NamedValue& output : schedule_.outputs) place_output(output.value);
    for (int s = 0; s < end_; ++s) place_bucket(s);
    for (int s = 0; s < end_; ++s)
      for (const ValueId id : schedule_.steps[at(s)].outputs) place_result(s, id);
    return std::move(out_);
  }

 private:
  bool has_place(ValueId root) const {
    const Storage::Slot& slot = out_.slots[at(root)];
    return slot.buffer != Storage::kNone || slot.variable != Storage::kNone;
  }

  std::string label_of(ValueId id) const {
    const ShardedValue& value = schedule_.value(id);
    if (value.source == Source::input) return "input " + value.name;
    return schedule_.steps[at(maker_[at(id)])].label;
  }

  int add_buffer(std::int64_t bytes, ValueId first_value) {
    out_.buffers.push_back({0, bytes, end_, -1, label_of(first_value)});
    reusable_.push_back(false);
    return static_cast<int>(out_.buffers.size()) - 1;
  }

  /// The value lives in the buffer from its making to its last use, longer where micro-batches
  /// loop.
  void extend(int buffer, ValueId root) {
    Buffer& b = out_.buffers[at(buffer)];
    const ShardedValue& value = schedule_.value(root);
    int first = maker_[at(root)];
    int last = std::max(last_use_[at(root)], first);
    const bool made = value.source == Source::node;
    const Step* step = made ? &schedule_.steps[at(first)] : nullptr;
    if (loop_first_ >= 0) {
      const bool before = step == nullptr || step->phase == Phase::before;
      const bool used_in_loop =
          std::any_of(uses_[at(root)].begin(), uses_[at(root)].end(),
                      [&](int use) { return use <= loop_last_ && use >= loop_first_; });
      const bool carried = step != nullptr && std::holds_alternative<AccumulateCall>(step->call);
      if ((before && used_in_loop) || carried || out_.whole[at(root)])
        last = std::max(last, loop_last_);
      if (carried || out_.whole[at(root)]) first = std::min(first, loop_first_);
    }
    b.first = std::min(b.first, made ? first : -1);
    b.last = std::max(b.last, last);
  }

  void put(ValueId root, int buffer, std::int64_t offset = 0) {
    out_.slots[at(root)].buffer = buffer;
    out_.slots[at(root)].offset = offset;
    extend(buffer, root);
  }

  void place_source(std::size_t i) {
    const ShardedValue& value = schedule_.values[i];
    const ValueId id{static_cast<std::int32_t>(i)};
    // A view that takes one micro-batch makes its root hold all of them.
    if (is_time_split(value.sharding, mesh_) && schedule_.views[i] &&
        !is_time_split(schedule_.value(schedule_.root(id)).sharding, mesh_))
      out_.whole[at(schedule_.root(id))] = true;
    if (value.source == Source::variable) out_.slots[i].variable = value.index;
    if (value.source != Source::input) return;
    out_.whole[i] = is_time_split(value.sharding, mesh_);
    put(id, add_buffer(device_bytes(value), id));
  }

  std::int64_t device_bytes(const ShardedValue& value) const {
    return aligned(byte_count(device_type(value.global, value.sharding, mesh_)));
  }

  /// A result cut over time is gathered in one buffer for all micro-batches.
  void place_output(ValueId output) {
    const ValueId root = schedule_.root(output);
    const ShardedValue& value = schedule_.value(root);
    if (has_place(root) || !is_time_split(value.sharding, mesh_)) return;
    out_.whole[at(root)] = true;
    put(root, add_buffer(device_bytes(value), root));
  }

  void place_bucket(int s) {
    const Step& step = schedule_.steps[at(s)];
    const auto* call = std::get_if<CollectiveCall>(&step.call);
    if (call == nullptr || call->collective.kind != CollectiveKind::all_reduce) return;
    const int buffer = add_buffer(0, step.outputs[0]);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const ValueId from = schedule_.root(step.inputs[i]);
      PENSTOCK_CHECK(!has_place(from) && !has_place(step.outputs[i]), step.label);
      put(from, buffer, offset);
      put(step.outputs[i], buffer, offset);
      offset += aligned(byte_count(schedule_.value(step.outputs[i]).local));
    }
    out_.buffers[at(buffer)].bytes = offset;
  }

  void place_result(int s, ValueId id) {
    if (has_place(id)) return;
    const int over = operand_to_overwrite(s, id);
    const ShardedValue& value = schedule_.value(id);
    const int buffer = over >= 0 ? over : add_buffer(aligned(byte_count(value.local)), id);
    if (out_.whole[at(id)]) out_.buffers[at(buffer)].bytes = device_bytes(value);
    reusable_[at(buffer)] = !out_.whole[at(id)];
    put(id, buffer);
  }

  /// The buffer of an operand of a map that ends here and fits, or -1.
  int operand_to_overwrite(int s, ValueId result) const {
    const Step& step = schedule_.steps[at(s)];
    const bool maps = std::holds_alternative<KernelCall>(step.call) ||
                      std::holds_alternative<FusedCall>(step.call);
    if (!step.elementwise || !maps || out_.whole[at(result)]) return Storage::kNone;
    const std::int64_t bytes = byte_count(schedule_.value(result).local);
    for (const ValueId input : step.inputs) {
      const ValueId root = schedule_.root(input);
      const int buffer = out_.slots[at(root)].buffer;
      if (buffer < 0 || !reusable_[at(buffer)] || out_.buffers[at(buffer)].last != s) continue;
      if (read_by_broadcast(step, buffer) || byte_count(schedule_.value(root).local) != bytes)
        continue;
      if (runs_in(root) == step.phase) return buffer;
    }
    return Storage::kNone;
  }

  Phase runs_in(ValueId root) const {
    const Step& maker = schedule_.steps[at(maker_[at(root)])];
    return std::holds_alternative<AccumulateCall>(maker.call) ? Phase::after : maker.phase;
  }

  bool read_by_broadcast(const Step& step, int buffer) const {
    for (const ValueId input : step.inputs) {
      if (out_.slots[at(schedule_.root(input))].buffer != buffer) continue;
      for (ValueId id = input; schedule_.views[at(id)]; id = schedule_.views[at(id)]->of)
        if (schedule_.views[at(id)]->broadcast) return true;
    }
    return false;
  }

  const Schedule& schedule_;
  const program::Mesh& mesh_;
  const std::vector<std::vector<int>> uses_;  // by root value
  const int end_;
  std::vector<int> last_use_;
  std::vector<int> maker_;
  int loop_first_ = -1, loop_last_ = -1;
  std::vector<bool> reusable_;  // by buffer: a map may write over it
  Storage out_;
};

}  // namespace

std::int64_t aligned(std::int64_t bytes) {
  return std::max<std::int64_t>(1, (bytes + 63) / 64) * 64;
}

Storage assign_storage(Schedule& schedule, const program::Mesh& mesh) {
  copy_communicated_outputs(schedule, mesh);
  copy_shared_operands(schedule);
  const std::vector<int> made_in = copy_ends(schedule, mesh);
  return StorageAssigner(schedule, made_in, mesh).run();
}

}  // namespace penstock::compiler
