#include "executor/compiler/partition/layouts.h"

#include <algorithm>
#include <limits>

#include "executor/compiler/index.h"
#include "executor/compiler/local_type.h"

namespace penstock::compiler {
namespace {

using program::AxisSharding;
using program::Sharding;
using program::Spread;

/// What a byte costs that is copied within a device, beside one that travels between devices.
constexpr double kLocalByte = 0.02;

/// The axes that cut `dim` in both layouts alike, outermost first, come first in both lists;
/// returns how many they are.
std::size_t common_prefix(const std::vector<int>& a, const std::vector<int>& b) {
  std::size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

Layouts::Layouts(const program::Entry& entry, const program::Mesh& mesh)
    : entry_(entry), mesh_(mesh), time_(time_axis(mesh)), versions_(entry.values.size()) {
  out_.name = entry.name;
}

ValueId Layouts::add_value(ShardedValue value, Phase phase) {
  const ValueId id{static_cast<std::int32_t>(out_.values.size())};
  out_.values.push_back(std::move(value));
  phases_.push_back(phase);
  return id;
}

void Layouts::add_source(program::ValueId old, const Sharding& sharding) {
  const program::ValueInfo& source = entry_.values[at(old)];
  const bool each = time_ < 0 || is_time_split(sharding, mesh_);
  versions_[at(old)].push_back(add_value({source.type, local_type(source.type, sharding, mesh_),
                                          sharding, source.source, source.index, source.name},
                                         each ? Phase::each : Phase::before));
}

Phase Layouts::phase_of(const std::vector<ValueId>& inputs,
                        const std::vector<Sharding>& results) const {
  if (time_ < 0) return Phase::each;
  const auto varies = [&](const Sharding& s) { return s[at(time_)].spread != Spread::replicated; };
  Phase phase = Phase::before;
  for (const ValueId id : inputs) {
    if (varies(sharding(id))) return Phase::each;
    if (phases_[at(id)] == Phase::after) phase = Phase::after;
  }
  return std::any_of(results.begin(), results.end(), varies) ? Phase::each : phase;
}

void Layouts::add_node(const program::Node& node, program::Attributes local,
                       std::vector<ValueId> inputs, const std::vector<Sharding>& results) {
  const Phase phase = phase_of(inputs, results);
  const auto index = static_cast<std::int32_t>(out_.nodes.size());
  ShardedNode made{node.op, std::move(local), {}, std::move(inputs), {}, phase};
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const program::TensorType& type = entry_.type(node.outputs[i]);
    made.outputs.push_back(add_value(
        {type, local_type(type, results[i], mesh_), results[i], program::Source::node, index, {}},
        phase));
    versions_[at(node.outputs[i])].push_back(made.outputs.back());
  }
  out_.nodes.push_back(std::move(made));
}

ValueId Layouts::made_value(program::ValueId old) const {
  return versions_[at(old)].front();
}

const Sharding& Layouts::made(program::ValueId old) const {
  return sharding(made_value(old));
}

std::optional<double> Layouts::axis_cost(program::ValueId old, ValueId from, int axis,
                                         AxisSharding wanted, const bool each) const {
  const AxisSharding have = sharding(from)[at(axis)];
  const bool time = mesh_.axes[at(axis)].time;
  if (each && time_ >= 0 && phases_[at(from)] == Phase::after) return std::nullopt;
  if (have == wanted) return 0;
  if (have.spread == Spread::distinct || wanted.spread == Spread::distinct ||
      wanted.spread == Spread::partial)
    return std::nullopt;
  const double parts = static_cast<double>(mesh_.axes[at(axis)].size);
  Sharding whole = sharding(from);
  whole[at(axis)] = {};
  const double bytes = static_cast<double>(byte_count(local_type(entry_.type(old), whole, mesh_)));
  const double slice = wanted.spread == Spread::split ? kLocalByte * bytes / parts : 0;
  if (have.spread == Spread::replicated) {
    if (time && (wanted.dim != 0 || phases_[at(from)] != Phase::before)) return std::nullopt;
    return slice;
  }
  if (time) {  // only a sum can be completed over time, and only once
    if (have.spread != Spread::partial || wanted.spread != Spread::replicated || each)
      return std::nullopt;
    return kLocalByte * bytes;
  }
  const double lap = bytes * (parts - 1) / parts;
  if (have.spread == Spread::split) return lap + slice;
  return (wanted.spread == Spread::split ? lap : 2 * lap) + slice;
}

std::optional<double> Layouts::cost(program::ValueId old, int axis, AxisSharding wanted,
                                    const bool each) const {
  std::optional<double> best;
  for (const ValueId from : versions_[at(old)])
    if (const auto cost = axis_cost(old, from, axis, wanted, each);
        cost && (!best || *cost < *best))
      best = cost;
  return best;
}

double Layouts::distance(program::ValueId old, ValueId from, const Sharding& wanted) const {
  double sum = 0;
  for (int axis = 0; axis < static_cast<int>(wanted.size()); ++axis)
    sum += axis_cost(old, from, axis, wanted[at(axis)], false)
               .value_or(std::numeric_limits<double>::infinity());
  return sum;
}

ValueId Layouts::collect(program::ValueId old, ValueId from, CollectiveKind kind, int axis,
                         AxisSharding result) {
  Sharding sharding = this->sharding(from);
  const int dim = result.spread == Spread::split ? result.dim : sharding[at(axis)].dim;
  sharding[at(axis)] = result;
  for (const ValueId version : versions_[at(old)])
    if (this->sharding(version) == sharding) return version;
  const bool time = mesh_.axes[at(axis)].time;
  const Phase from_phase = phases_[at(from)];
  const program::TensorType& type = entry_.type(old);
  ShardedNode node{0,      {}, Collective{kind, axis, dim, -1},
                   {from}, {}, time ? Phase::each : from_phase};
  const Phase phase = kind == CollectiveKind::accumulate ? Phase::after : node.phase;
  node.outputs.push_back(add_value({type,
                                    local_type(type, sharding, mesh_),
                                    sharding,
                                    program::Source::node,
                                    static_cast<std::int32_t>(out_.nodes.size()),
                                    {}},
                                   phase));
  versions_[at(old)].push_back(node.outputs[0]);
  out_.nodes.push_back(std::move(node));
  return out_.nodes.back().outputs[0];
}

Result<ValueId> Layouts::convert(program::ValueId old, const Sharding& wanted) {
  const std::vector<ValueId>& versions = versions_[at(old)];
  ValueId value = *std::min_element(versions.begin(), versions.end(), [&](ValueId a, ValueId b) {
    return distance(old, a, wanted) < distance(old, b, wanted);
  });
  if (distance(old, value, wanted) == std::numeric_limits<double>::infinity())
    return Error{ErrorCode::unimplemented, to_text(entry_.type(old)) + " " +
                                               to_text(sharding(value), mesh_) +
                                               " cannot be brought to " + to_text(wanted, mesh_)};
  // Sums are completed first: over time, then over devices.
  for (const bool time : {true, false})
    for (int axis = 0; axis < static_cast<int>(wanted.size()); ++axis) {
      const AxisSharding have = sharding(value)[at(axis)];
      if (mesh_.axes[at(axis)].time != time || have.spread != Spread::partial ||
          have == wanted[at(axis)])
        continue;
      const bool scatter = wanted[at(axis)].spread == Spread::split &&
                           axes_of_dim(wanted, mesh_, wanted[at(axis)].dim).size() == 1 &&
                           axes_of_dim(sharding(value), mesh_, wanted[at(axis)].dim).empty() &&
                           dynamic_dim(entry_.type(old).shape) != wanted[at(axis)].dim;
      const CollectiveKind kind = time      ? CollectiveKind::accumulate
                                  : scatter ? CollectiveKind::reduce_scatter
                                            : CollectiveKind::all_reduce;
      value = collect(old, value, kind, axis, scatter ? wanted[at(axis)] : AxisSharding{});
    }
  // Then cuts are undone from the innermost outwards as far as the layouts differ, and made anew.
  const int rank = static_cast<int>(entry_.type(old).shape.size());
  for (int dim = 0; dim < rank; ++dim) {
    const std::vector<int> have = axes_of_dim(sharding(value), mesh_, dim);
    const std::size_t keep = common_prefix(have, axes_of_dim(wanted, mesh_, dim));
    for (std::size_t i = have.size(); i-- > keep;) {
      if (mesh_.axes[at(have[i])].time)
        return Error{ErrorCode::unimplemented,
                     to_text(entry_.type(old)) + " would have to be gathered over time"};
      value = collect(old, value, CollectiveKind::all_gather, have[i], {});
    }
  }
  for (int dim = 0; dim < rank; ++dim)
    for (const int axis : axes_of_dim(wanted, mesh_, dim))
      if (sharding(value)[at(axis)].spread != Spread::split)
        value = collect(old, value, CollectiveKind::slice, axis, {Spread::split, dim});
  return value;
}

}  // namespace penstock::compiler
