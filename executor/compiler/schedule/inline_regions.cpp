#include "executor/compiler/schedule/inline_regions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "executor/compiler/index.h"
#include "executor/compiler/sharded_entry.h"
#include "schema/program/builder.h"
#include "schema/program/op.h"

namespace penstock::compiler {
namespace {

using program::Sharding;
using program::Spread;

constexpr std::size_t kNodesMax = 20000;
constexpr int kDepthMax = 8;

/// Appends nodes of one entry to another, with the regions opened.
class Inliner {
 public:
  Inliner(const ShardedEntry& from, const std::vector<std::string>& labels, const Target& target,
          const program::Mesh& mesh)
      : from_(from), labels_(labels), target_(target), mesh_(mesh), map_(from.values.size()) {
    out_.name = from.name;
  }

  Status run() {
    for (std::size_t i = 0; i < from_.values.size(); ++i)
      if (from_.values[i].source != program::Source::node) map_[i] = add_value(from_.values[i]);
    for (std::size_t n = 0; n < from_.nodes.size(); ++n) {
      const ShardedNode& node = from_.nodes[n];
      if (is_open(node))
        PENSTOCK_TRY(open(node, labels_[n]));
      else
        copy(node, labels_[n]);
      if (out_.nodes.size() > kNodesMax)
        return Error{ErrorCode::resource_exhausted, "the entry has more than " +
                                                        std::to_string(kNodesMax) +
                                                        " nodes with its regions opened"};
    }
    for (const program::NamedValue& output : from_.outputs)
      out_.outputs.push_back({output.name, map_[at(output.value)]});
    for (const program::VariableWrite& write : from_.writes)
      out_.writes.push_back({write.variable, map_[at(write.value)]});
    return {};
  }

  bool opened() const { return opened_; }
  ShardedEntry take() { return std::move(out_); }
  std::vector<std::string> take_labels() { return std::move(out_labels_); }

 private:
  bool is_open(const ShardedNode& node) const {
    if (node.collective || !program::op_row(node.op).is_region()) return false;
    const program::Types types = local_types(from_, node.inputs);
    return !target_.claims(node.op, {types, node.attributes});
  }

  ValueId add_value(ShardedValue value) {
    const ValueId id{static_cast<std::int32_t>(out_.values.size())};
    out_.values.push_back(std::move(value));
    return id;
  }

  void add_node(ShardedNode node, std::string label) {
    for (const ValueId id : node.outputs)
      out_.values[at(id)].index = static_cast<std::int32_t>(out_.nodes.size());
    out_.nodes.push_back(std::move(node));
    out_labels_.push_back(std::move(label));
  }

  void copy(ShardedNode node, const std::string& label) {
    for (ValueId& id : node.inputs) id = map_[at(id)];
    for (ValueId& id : node.outputs) {
      map_[at(id)] = add_value(from_.value(id));
      id = map_[at(id)];
    }
    add_node(std::move(node), label);
  }

  /// The layout of a value within the expansion: its dynamic dimension is cut as the region's is.
  Sharding inner_sharding(const ShardedNode& region, const program::TensorType& type) const {
    Sharding out(mesh_.axes.size());
    const int dim = dynamic_dim(type.shape);
    if (dim < 0) return out;
    for (const auto* ids : {&region.inputs, &region.outputs})
      for (const ValueId id : *ids) {
        const ShardedValue& value = from_.value(id);
        const int cut = dynamic_dim(value.local.shape);
        for (std::size_t a = 0; a < out.size() && cut >= 0; ++a)
          if (value.sharding[a] == program::AxisSharding{Spread::split, cut})
            out[a] = {Spread::split, dim};
      }
    return out;
  }

  Status open(const ShardedNode& region, const std::string& label) {
    opened_ = true;
    program::Program scratch;
    scratch.entries.resize(1);
    program::Builder builder(scratch, 0);
    std::vector<ValueId> inputs;
    std::vector<ValueId> inner;  // values of the expansion -> new values
    for (std::size_t i = 0; i < region.inputs.size(); ++i) {
      auto input =
          builder.try_input("operand" + std::to_string(i), from_.value(region.inputs[i]).local);
      if (!input.ok()) return Error{ErrorCode::internal, input.error().message}.in(label);
      inputs.push_back(*input);
      inner.push_back(map_[at(region.inputs[i])]);
    }
    const std::vector<ValueId> results =
        program::op_row(region.op).expand(builder, {inputs, {}, region.attributes});
    const program::Entry& expansion = scratch.entries[0];
    inner.resize(expansion.values.size());
    for (const program::Node& node : expansion.nodes) {
      ShardedNode made{node.op, node.attributes, {}, {}, {}, region.phase};
      for (const ValueId id : node.inputs) made.inputs.push_back(inner[at(id)]);
      for (const ValueId id : node.outputs) {
        const program::TensorType& type = expansion.type(id);
        inner[at(id)] =
            add_value({type, type, inner_sharding(region, type), program::Source::node, 0, {}});
        made.outputs.push_back(inner[at(id)]);
      }
      add_node(std::move(made), std::string(program::op_row(node.op).name) + " of " + label);
    }
    PENSTOCK_CHECK(results.size() == region.outputs.size(), label);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const ShardedValue& result = from_.value(region.outputs[i]);
      const ValueId id = inner[at(results[i])];
      map_[at(region.outputs[i])] = id;
      ShardedValue& value = out_.values[at(id)];
      PENSTOCK_CHECK(value.local == result.local, label + ": the expansion has another type");
      // An operand that passes through keeps what is known of it.
      if (value.source != program::Source::node) continue;
      value.global = result.global;
      value.sharding = result.sharding;
    }
    return {};
  }

  const ShardedEntry& from_;
  const std::vector<std::string>& labels_;
  const Target& target_;
  const program::Mesh& mesh_;
  std::vector<ValueId> map_;
  ShardedEntry out_;
  std::vector<std::string> out_labels_;
  bool opened_ = false;
};

std::string label_of(const ShardedNode& node, const program::Mesh& mesh) {
  return (node.collective ? to_text(*node.collective, mesh)
                          : std::string(program::op_row(node.op).name)) +
         " %" + std::to_string(node.outputs[0].index);
}

}  // namespace

Result<ShardedEntry> inline_regions(const ShardedEntry& entry, const Target& target,
                                    const program::Mesh& mesh, std::vector<std::string>& labels) {
  labels.clear();
  for (const ShardedNode& node : entry.nodes) labels.push_back(label_of(node, mesh));
  ShardedEntry out = entry;
  for (int depth = 0; depth < kDepthMax; ++depth) {
    Inliner inliner(out, labels, target, mesh);
    PENSTOCK_TRY(inliner.run());
    if (!inliner.opened()) return out;
    // `out` is what the inliner reads, so that it is replaced only now.
    std::vector<std::string> next_labels = inliner.take_labels();
    ShardedEntry next = inliner.take();
    labels = std::move(next_labels);
    out = std::move(next);
  }
  return Error{ErrorCode::internal, "regions are nested deeper than " + std::to_string(kDepthMax)};
}

}  // namespace penstock::compiler
