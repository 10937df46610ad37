#include "executor/compiler/simplify/dead_code.h"

#include "executor/compiler/simplify/entry_copy.h"

namespace penstock::compiler {
namespace {

std::vector<bool> live_values(const program::Entry& entry) {
  std::vector<bool> live(entry.values.size(), false);
  const auto mark = [&](program::ValueId id) { live[static_cast<std::size_t>(id.index)] = true; };
  for (const program::NamedValue& output : entry.outputs) mark(output.value);
  for (const program::VariableWrite& write : entry.writes) mark(write.value);
  for (auto node = entry.nodes.rbegin(); node != entry.nodes.rend(); ++node) {
    bool needed = false;
    for (const program::ValueId id : node->outputs)
      needed = needed || live[static_cast<std::size_t>(id.index)];
    if (!needed) continue;
    for (const program::ValueId id : node->outputs) mark(id);
    for (const program::ValueId id : node->inputs) mark(id);
  }
  return live;
}

}  // namespace

program::Entry without_dead_code(const program::Entry& entry) {
  const std::vector<bool> live = live_values(entry);
  EntryCopy copy(entry);
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    const program::ValueInfo& value = entry.values[i];
    const program::ValueId id{static_cast<std::int32_t>(i)};
    if (value.source == program::Source::input ||
        (value.source == program::Source::variable && live[i]))
      copy.copy_source(id);
    if (value.source == program::Source::node && live[i] && !copy.has(id))
      copy.copy_node(entry.nodes[static_cast<std::size_t>(value.index)]);
  }
  return std::move(copy).finish();
}

}  // namespace penstock::compiler
