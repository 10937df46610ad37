#include "executor/compiler/partition/propagate.h"

namespace penstock::compiler {
namespace {

using program::Entry;
using program::Node;
using program::ShardingRule;
using program::ValueId;

/// Far more than the longest chain of changes of direction in a real program.
constexpr int kSweepsMax = 32;

class AxisPropagation {
 public:
  AxisPropagation(const Entry& entry, std::int64_t parts, std::vector<int>& wishes)
      : entry_(entry), parts_(parts), wishes_(wishes) {}

  /// Whether something changed.
  bool visit(const Node& node, const ShardingRule& rule) {
    bool changed = false;
    for (int factor = 0; factor < rule.factor_count(); ++factor)
      if (wished(node, rule, factor)) changed = spread(node, rule, factor) || changed;
    return changed;
  }

 private:
  template <class Do>
  static void each_dim(const Node& node, const ShardingRule& rule, int factor, Do&& visit) {
    const auto side = [&](const std::vector<ValueId>& ids,
                          const std::vector<std::vector<int>>& dims) {
      for (std::size_t i = 0; i < ids.size() && i < dims.size(); ++i)
        for (std::size_t d = 0; d < dims[i].size(); ++d)
          if (dims[i][d] == factor) visit(ids[i], static_cast<int>(d));
    };
    side(node.inputs, rule.operands);
    side(node.outputs, rule.results);
  }

  bool wished(const Node& node, const ShardingRule& rule, int factor) const {
    bool found = false;
    each_dim(node, rule, factor, [&](ValueId id, int dim) {
      found = found || wishes_[static_cast<std::size_t>(id.index)] == dim;
    });
    return found;
  }

  bool spread(const Node& node, const ShardingRule& rule, int factor) {
    bool changed = false;
    each_dim(node, rule, factor, [&](ValueId id, int dim) {
      const auto i = static_cast<std::size_t>(id.index);
      const program::Dim& size = entry_.type(id).shape[static_cast<std::size_t>(dim)];
      if (entry_.values[i].source != program::Source::node || wishes_[i] >= 0 ||
          (!size.dynamic && size.bound % parts_ != 0))
        return;
      wishes_[i] = dim;
      changed = true;
    });
    return changed;
  }

  const Entry& entry_;
  std::int64_t parts_;
  std::vector<int>& wishes_;
};

}  // namespace

Wishes propagate(const Entry& entry, const std::vector<ShardingRule>& rules,
                 const SourceShardings& sources, const program::Mesh& mesh) {
  Wishes out(mesh.axes.size(), std::vector<int>(entry.values.size(), -1));
  for (std::size_t a = 0; a < mesh.axes.size(); ++a) {
    if (mesh.axes[a].size == 1) continue;
    for (std::size_t i = 0; i < entry.values.size(); ++i)
      if (entry.values[i].source != program::Source::node)
        out[a][i] = sources.of(entry, entry.values[i])[a].dim;
    AxisPropagation axis(entry, mesh.axes[a].size, out[a]);
    bool changed = true;
    for (int sweep = 0; changed && sweep < kSweepsMax; ++sweep) {
      changed = false;
      for (std::size_t n = 0; n < rules.size(); ++n)
        changed = axis.visit(entry.nodes[n], rules[n]) || changed;
      for (std::size_t n = rules.size(); n-- > 0;)
        changed = axis.visit(entry.nodes[n], rules[n]) || changed;
    }
  }
  return out;
}

}  // namespace penstock::compiler
