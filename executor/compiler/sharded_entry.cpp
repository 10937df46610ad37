#include "executor/compiler/sharded_entry.h"

#include "base/check.h"
#include "executor/compiler/index.h"

namespace penstock::compiler {
namespace {

std::vector<bool> used_values(const ShardedEntry& entry, const std::vector<std::size_t>& order) {
  std::vector<bool> used(entry.values.size(), false);
  for (const std::size_t n : order)
    for (const ValueId id : entry.nodes[n].inputs) used[at(id)] = true;
  for (const program::NamedValue& output : entry.outputs) used[at(output.value)] = true;
  for (const program::VariableWrite& write : entry.writes) used[at(write.value)] = true;
  return used;
}

}  // namespace

ShardedEntry reordered(const ShardedEntry& entry, const std::vector<std::size_t>& order) {
  ShardedEntry out;
  out.name = entry.name;
  std::vector<ValueId> map(entry.values.size());
  const auto copy_value = [&](ValueId id) {
    map[at(id)] = {static_cast<std::int32_t>(out.values.size())};
    out.values.push_back(entry.value(id));
  };
  const auto mapped = [&](ValueId id) {
    PENSTOCK_CHECK(static_cast<bool>(map[at(id)]), "a value is used before it is made");
    return map[at(id)];
  };
  const std::vector<bool> used = used_values(entry, order);
  for (std::size_t i = 0; i < entry.values.size(); ++i)
    if (const program::Source source = entry.values[i].source;
        source == program::Source::input || (source == program::Source::variable && used[i]))
      copy_value({static_cast<std::int32_t>(i)});
  for (const std::size_t n : order) {
    ShardedNode node = entry.nodes[n];
    for (ValueId& id : node.inputs) id = mapped(id);
    for (ValueId& id : node.outputs) {
      copy_value(id);
      out.values.back().index = static_cast<std::int32_t>(out.nodes.size());
      id = map[at(id)];
    }
    out.nodes.push_back(std::move(node));
  }
  for (const program::NamedValue& output : entry.outputs)
    out.outputs.push_back({output.name, mapped(output.value)});
  for (const program::VariableWrite& write : entry.writes)
    out.writes.push_back({write.variable, mapped(write.value)});
  return out;
}

ShardedEntry without_dead_nodes(const ShardedEntry& entry) {
  std::vector<bool> live(entry.values.size(), false);
  for (const program::NamedValue& output : entry.outputs) live[at(output.value)] = true;
  for (const program::VariableWrite& write : entry.writes) live[at(write.value)] = true;
  std::vector<bool> keep(entry.nodes.size(), false);
  for (std::size_t n = entry.nodes.size(); n-- > 0;) {
    for (const ValueId id : entry.nodes[n].outputs) keep[n] = keep[n] || live[at(id)];
    if (!keep[n]) continue;
    for (const ValueId id : entry.nodes[n].inputs) live[at(id)] = true;
  }
  std::vector<std::size_t> order;
  for (std::size_t n = 0; n < keep.size(); ++n)
    if (keep[n]) order.push_back(n);
  return reordered(entry, order);
}

program::Types local_types(const ShardedEntry& entry, const std::vector<ValueId>& ids) {
  program::Types out;
  for (const ValueId id : ids) out.push_back(entry.value(id).local);
  return out;
}

}  // namespace penstock::compiler
