#include "executor/compiler/partition/choose.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"

namespace penstock::compiler {
namespace {

using program::AxisSharding;
using program::Linearity;
using program::ShardingRule;
using program::Spread;

/// A byte of a result that is computed, beside one that travels: it breaks ties between layouts
/// that need no communication.
constexpr double kResultByte = 0.05;

/// What one axis would be.
struct Candidate {
  std::vector<AxisSharding> operands;
  std::vector<AxisSharding> results;
  double cost = std::numeric_limits<double>::infinity();
};

/// The dimension that carries the factor: none, one, or more than one (-2), which cannot be cut.
int dim_of(const std::vector<int>& factors, int factor) {
  int found = -1;
  for (std::size_t d = 0; d < factors.size(); ++d)
    if (factors[d] == factor) found = found == -1 ? static_cast<int>(d) : -2;
  return found;
}

class AxisChoice {
 public:
  AxisChoice(const program::Entry& entry, const program::Node& node, const ShardingRule& rule,
             const Layouts& layouts, const std::vector<int>& wishes, const program::Mesh& mesh,
             int axis, const NodeLayout& so_far)
      : entry_(entry),
        node_(node),
        rule_(rule),
        layouts_(layouts),
        wishes_(wishes),
        mesh_(mesh),
        axis_(axis),
        so_far_(so_far) {}

  Candidate best() const {
    Candidate best;
    const auto offer = [&](std::optional<Candidate> candidate) {
      if (candidate && candidate->cost < best.cost) best = std::move(*candidate);
    };
    if (any_distinct()) {
      offer(distinct());
      return best;
    }
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (have(i).spread == Spread::partial) offer(partial(i));
    for (int factor = 0; factor < rule_.factor_count(); ++factor)
      if (is_cut_or_wished(factor)) offer(cut(factor));
    offer(whole());
    return best;
  }

 private:
  bool time() const { return mesh_.axes[at(axis_)].time; }
  AxisSharding have(std::size_t operand) const {
    return layouts_.made(node_.inputs[operand])[at(axis_)];
  }
  int wish(program::ValueId id) const { return wishes_[static_cast<std::size_t>(id.index)]; }

  bool any_distinct() const {
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      if (have(i).spread == Spread::distinct) return true;
    return false;
  }

  bool is_cut_or_wished(int factor) const {
    const auto wished = [&](const std::vector<program::ValueId>& ids,
                            const std::vector<std::vector<int>>& factors) {
      for (std::size_t i = 0; i < ids.size() && i < factors.size(); ++i) {
        const int dim = dim_of(factors[i], factor);
        if (dim >= 0 && wish(ids[i]) == dim) return true;
      }
      return false;
    };
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const int dim = dim_of(rule_.operands[i], factor);
      if (dim >= 0 && have(i) == AxisSharding{Spread::split, dim}) return true;
    }
    return wished(node_.inputs, rule_.operands) || wished(node_.outputs, rule_.results);
  }

  /// Whether the axis may cut the dimension beside what the axes before it cut.
  bool divides(program::ValueId id, const program::Sharding& before, int dim) const {
    const program::Dim& size = entry_.type(id).shape[at(dim)];
    std::int64_t parts = mesh_.axes[at(axis_)].size;
    for (const int other : axes_of_dim(before, mesh_, dim)) parts *= mesh_.axes[at(other)].size;
    return size.dynamic || size.bound % parts == 0;
  }

  std::optional<Candidate> cut(int factor) const {
    Candidate out;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const int dim = dim_of(rule_.operands[i], factor);
      if (dim == -2 || (dim >= 0 && !divides(node_.inputs[i], so_far_.operands[i], dim)))
        return std::nullopt;
      out.operands.push_back(dim >= 0 ? AxisSharding{Spread::split, dim} : AxisSharding{});
    }
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      const int dim = dim_of(rule_.results[i], factor);
      if (dim == -2 || (dim >= 0 && !divides(node_.outputs[i], so_far_.results[i], dim)))
        return std::nullopt;
      out.results.push_back(dim >= 0 ? AxisSharding{Spread::split, dim}
                                     : AxisSharding{Spread::partial, -1});
    }
    return priced(std::move(out), time());
  }

  std::optional<Candidate> partial(std::size_t operand) const {
    const bool all = rule_.linearity == Linearity::in_all;
    if (rule_.linearity == Linearity::none ||
        (rule_.linearity == Linearity::first_only && operand != 0))
      return std::nullopt;
    Candidate out;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      out.operands.push_back({all || i == operand ? Spread::partial : Spread::replicated, -1});
    out.results.assign(node_.outputs.size(), {Spread::partial, -1});
    return priced(std::move(out), time());
  }

  std::optional<Candidate> whole() const {
    Candidate out;
    out.operands.assign(node_.inputs.size(), {});
    out.results.assign(node_.outputs.size(), {});
    return priced(std::move(out), false);
  }

  std::optional<Candidate> distinct() const {
    if (!is_pointwise(rule_)) return std::nullopt;
    Candidate out;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i)
      out.operands.push_back(
          {have(i).spread == Spread::distinct ? Spread::distinct : Spread::replicated, -1});
    out.results.assign(node_.outputs.size(), {Spread::distinct, -1});
    return priced(std::move(out), false);
  }

  std::optional<Candidate> priced(Candidate candidate, const bool each) const {
    candidate.cost = 0;
    for (std::size_t i = 0; i < node_.inputs.size(); ++i) {
      const auto cost = layouts_.cost(node_.inputs[i], axis_, candidate.operands[i], each);
      if (!cost) return std::nullopt;
      candidate.cost += *cost;
    }
    for (std::size_t i = 0; i < node_.outputs.size(); ++i) {
      const double bytes = static_cast<double>(byte_count(entry_.type(node_.outputs[i])));
      const double parts = candidate.results[i].spread == Spread::split
                               ? static_cast<double>(mesh_.axes[at(axis_)].size)
                               : 1;
      candidate.cost += kResultByte * bytes / parts;
    }
    return candidate;
  }

  const program::Entry& entry_;
  const program::Node& node_;
  const ShardingRule& rule_;
  const Layouts& layouts_;
  const std::vector<int>& wishes_;
  const program::Mesh& mesh_;
  const int axis_;
  const NodeLayout& so_far_;
};

Error no_candidate(const Layouts& layouts, const program::Node& node, const program::MeshAxis& axis,
                   int index) {
  for (const program::ValueId id : node.inputs)
    if (layouts.made(id)[at(index)].spread == Spread::distinct)
      return Error{ErrorCode::unimplemented,
                   "an operand is distinct over axis " + axis.name +
                       ": each rank has its own, and only element-wise ops keep it apart"};
  return Error{ErrorCode::unimplemented,
               axis.time ? "it needs the whole batch before any micro-batch can go on; use a plan "
                           "with " +
                               axis.name + "=1"
                         : "no layout over axis " + axis.name + " is possible"};
}

}  // namespace

bool is_pointwise(const ShardingRule& rule) {
  if (rule.results.empty()) return false;
  const auto same = [&](const std::vector<int>& dims) {
    return dims.empty() || dims == rule.results[0];
  };
  return std::find(rule.results[0].begin(), rule.results[0].end(), ShardingRule::kWhole) ==
             rule.results[0].end() &&
         std::all_of(rule.operands.begin(), rule.operands.end(), same) &&
         std::all_of(rule.results.begin(), rule.results.end(), same);
}

Result<NodeLayout> choose_layout(const program::Entry& entry, const program::Node& node,
                                 const ShardingRule& rule, const Layouts& layouts,
                                 const Wishes& wishes, const program::Mesh& mesh) {
  const program::Sharding replicated(mesh.axes.size());
  NodeLayout out;
  out.operands.assign(node.inputs.size(), replicated);
  out.results.assign(node.outputs.size(), replicated);
  for (int axis = 0; axis < static_cast<int>(mesh.axes.size()); ++axis) {
    if (mesh.axes[at(axis)].size == 1) continue;
    const Candidate best =
        AxisChoice(entry, node, rule, layouts, wishes[at(axis)], mesh, axis, out).best();
    if (best.cost == std::numeric_limits<double>::infinity())
      return no_candidate(layouts, node, mesh.axes[at(axis)], axis);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      out.operands[i][at(axis)] = best.operands[i];
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      out.results[i][at(axis)] = best.results[i];
  }
  return out;
}

}  // namespace penstock::compiler
