#include "schema/program/op.h"

namespace penstock::program {
namespace {

std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

AttributeKind kind_of(const Attribute& attribute) {
  return static_cast<AttributeKind>(attribute.index());
}

bool is_nan(const Attribute& attribute) {
  const double* real = std::get_if<double>(&attribute);
  return real != nullptr && *real != *real;
}

// No op takes a longer list: shapes and permutations end at the rank limit.
constexpr std::size_t kIntegersMax = 64;

Status check_one(const AttributeSpec& spec, const Attribute& attribute) {
  if (kind_of(attribute) != spec.kind)
    return invalid("attribute " + quoted(spec.name) + " must be " + std::string(name(spec.kind)) +
                   ", not " + std::string(name(kind_of(attribute))));
  if (is_nan(attribute)) return invalid("attribute " + quoted(spec.name) + " is not a number");
  const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute);
  if (list != nullptr && list->size() > kIntegersMax)
    return invalid("attribute " + quoted(spec.name) + " has more than " +
                   std::to_string(kIntegersMax) + " items");
  return {};
}

Status check_kernels(std::span<const TensorType> types) {
  for (const TensorType& type : types)
    if (!has_kernels(type.dtype))
      return Error{ErrorCode::unimplemented, "element type " + std::string(name(type.dtype)) +
                                                 " has no kernels yet; use " +
                                                 (is_float(type.dtype) ? "f32" : "i32")};
  return {};
}

}  // namespace

Attributes local_attributes(const OpRow& row, OpInputs whole,
                            std::span<const TensorType> local_operands,
                            std::span<const TensorType> local_results) {
  if (row.resize == nullptr) return whole.attributes;
  return row.resize(whole, local_operands, local_results);
}

Result<Attributes> complete_attributes(const OpRow& row, Attributes given) {
  for (const AttributeSpec& spec : row.attributes) {
    const auto at = given.items().find(spec.name);
    if (at == given.items().end()) {
      if (spec.fallback) given.set(std::string(spec.name), *spec.fallback);
      continue;
    }
    const auto* integer = std::get_if<std::int64_t>(&at->second);
    if (spec.kind == AttributeKind::real && integer != nullptr)
      given.set(std::string(spec.name), static_cast<double>(*integer));
  }
  PENSTOCK_TRY(check_attributes(row, given));
  return given;
}

Status check_attributes(const OpRow& row, const Attributes& attributes) {
  for (const AttributeSpec& spec : row.attributes) {
    const auto at = attributes.items().find(spec.name);
    if (at == attributes.items().end())
      return invalid("attribute " + quoted(spec.name) + " is missing; it is " +
                     std::string(name(spec.kind)));
    PENSTOCK_TRY(check_one(spec, at->second));
  }
  if (attributes.items().size() == row.attributes.size()) return {};
  for (const auto& item : attributes.items()) {
    bool known = false;
    for (const AttributeSpec& spec : row.attributes) known = known || spec.name == item.first;
    if (!known) return invalid("there is no attribute " + quoted(item.first));
  }
  return {};
}

Result<Types> infer_types(const OpRow& row, OpInputs in, const Limits& limits) {
  if (row.arity == kVariadic && in.types.empty()) return invalid("takes one operand or more");
  if (row.arity != kVariadic && in.types.size() != static_cast<std::size_t>(row.arity))
    return invalid("takes " + std::to_string(row.arity) + " operands, got " +
                   std::to_string(in.types.size()));
  PENSTOCK_TRY(check_attributes(row, in.attributes));
  PENSTOCK_TRY(check_kernels(in.types));
  PENSTOCK_ASSIGN(Types results, row.infer(in));
  PENSTOCK_TRY(check_kernels(results));
  for (const TensorType& type : results) PENSTOCK_TRY(check_shape(type.shape, limits));
  return results;
}

}  // namespace penstock::program
