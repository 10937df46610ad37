#include "executor/compiler/partition/annotations.h"

#include <set>

#include "base/check.h"
#include "executor/compiler/local_type.h"

namespace penstock::compiler {
namespace {

using program::Mesh;
using program::Sharding;
using program::Spread;

Status check_mesh(const Mesh& mesh) {
  std::set<std::string> names;
  int times = 0;
  for (const program::MeshAxis& axis : mesh.axes) {
    if (axis.size < 1)
      return invalid("mesh axis " + axis.name + " has size " + std::to_string(axis.size) +
                     "; it needs at least 1");
    if (!names.insert(axis.name).second)
      return invalid("mesh axis " + axis.name + " is there twice");
    times += axis.time && axis.size > 1 ? 1 : 0;
  }
  if (times > 1)
    return Error{ErrorCode::unimplemented, "the mesh has two time axes; merge them into one"};
  return {};
}

/// Whether every dimension that is cut can be; `sharding` has one item per axis.
Status check_cuts(const Sharding& sharding, const Mesh& mesh, const program::TensorType& type) {
  for (std::size_t a = 0; a < sharding.size(); ++a) {
    if (sharding[a].spread != Spread::split) continue;
    const int dim = sharding[a].dim;
    if (dim < 0 || static_cast<std::size_t>(dim) >= type.shape.size())
      return invalid("split(" + std::to_string(dim) + ") names a dimension that " + to_text(type) +
                     " does not have");
    std::int64_t parts = 1;
    for (const int other : axes_of_dim(sharding, mesh, dim))
      parts *= mesh.axes[static_cast<std::size_t>(other)].size;
    const program::Dim& size = type.shape[static_cast<std::size_t>(dim)];
    if (!size.dynamic && size.bound % parts != 0)
      return invalid("dimension " + std::to_string(dim) + " of " + to_text(type) +
                     " is not divisible by " + std::to_string(parts) +
                     "; declare it dynamic or choose another axis size");
  }
  return {};
}

Result<Sharding> checked(Sharding sharding, const Mesh& mesh, const program::TensorType& type,
                         const bool variable) {
  if (sharding.size() != mesh.axes.size())
    return invalid("the sharding has " + std::to_string(sharding.size()) + " axes, the mesh " +
                   std::to_string(mesh.axes.size()));
  for (std::size_t a = 0; a < sharding.size(); ++a) {
    if (sharding[a].spread == Spread::partial)
      return invalid("a source cannot be a partial sum over axis " + mesh.axes[a].name);
    if (sharding[a].spread == Spread::distinct && (!variable || mesh.axes[a].time))
      return invalid("only a variable can be distinct, and only over devices");
    if (variable && mesh.axes[a].time && sharding[a].spread != Spread::replicated)
      return invalid("a variable cannot be cut over the time axis " + mesh.axes[a].name);
    if (sharding[a].spread != Spread::split) sharding[a].dim = -1;
  }
  PENSTOCK_TRY(check_cuts(sharding, mesh, type));
  for (std::size_t a = 0; a < sharding.size(); ++a)
    if (mesh.axes[a].size == 1) sharding[a] = {};
  return sharding;
}

const program::ValueInfo* find_input(const program::Program& program, const std::string& entry,
                                     const std::string& name) {
  const program::Entry* found = program.find_entry(entry);
  if (found == nullptr) return nullptr;
  for (const program::ValueInfo& value : found->values)
    if (value.source == program::Source::input && value.name == name) return &value;
  return nullptr;
}

}  // namespace

const Sharding& SourceShardings::of(const program::Entry& entry,
                                    const program::ValueInfo& source) const {
  if (source.source == program::Source::variable)
    return variables[static_cast<std::size_t>(source.index)];
  const auto at = inputs.find({entry.name, source.name});
  PENSTOCK_CHECK(at != inputs.end(), "input " + source.name + " has no sharding");
  return at->second;
}

Result<SourceShardings> read_annotations(const program::Program& program,
                                         const program::Plan& plan) {
  PENSTOCK_TRY(check_mesh(plan.mesh));
  const Sharding replicated(plan.mesh.axes.size());
  SourceShardings out;
  out.variables.assign(program.variables.size(), replicated);
  for (const program::Entry& entry : program.entries)
    for (const program::ValueInfo& value : entry.values)
      if (value.source == program::Source::input) out.inputs[{entry.name, value.name}] = replicated;
  std::set<std::pair<std::string, std::string>> seen;
  for (const program::Annotation& a : plan.annotations) {
    const bool variable = a.entry.empty();
    const std::string place =
        variable ? "plan, variable " + a.name : "plan, input " + a.name + " of entry " + a.entry;
    if (!seen.insert({a.entry, a.name}).second) return invalid(place + ": it is spread twice");
    const auto index = variable ? program.find_variable(a.name) : std::nullopt;
    const program::ValueInfo* input = variable ? nullptr : find_input(program, a.entry, a.name);
    if (!index && input == nullptr) return invalid(place + ": the program has none of this name");
    const program::TensorType& type =
        index ? program.variables[static_cast<std::size_t>(*index)].type : input->type;
    Result<Sharding> sharding = checked(a.sharding, plan.mesh, type, variable);
    if (!sharding.ok()) return std::move(sharding).error().in(place);
    if (index)
      out.variables[static_cast<std::size_t>(*index)] = std::move(sharding).value();
    else
      out.inputs[{a.entry, a.name}] = std::move(sharding).value();
  }
  return out;
}

}  // namespace penstock::compiler
