#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "schema/program/types.h"

namespace penstock::program {

/// A compile-time parameter of an op. Text forms: `3`, `0.5`, `true`, `f32`, `[1,2]`.
/// Doubles print so that they read back bit for bit.
using Attribute = std::variant<std::int64_t, double, bool, DType, std::vector<std::int64_t>>;

enum class AttributeKind { integer, real, boolean, dtype, integers };  // index of the variant

/// One attribute that an op takes. Every attribute must be given in a stored program; the builder
/// fills in the fallback where there is one.
struct AttributeSpec {
  std::string_view name;
  AttributeKind kind;
  std::optional<Attribute> fallback = {};
};

std::string_view name(AttributeKind kind);
/// The text form of one attribute.
std::string to_text(const Attribute& attribute);
/// The shortest text that reads back bit for bit, with a point, an exponent or `inf`: `0.1`, `3.0`.
std::string to_text(double value);

/// The attributes of one node, ordered by name. Reading a name that is not there, or with another
/// kind, is a failed check: the verifier has compared them with the op's AttributeSpecs before.
class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<const std::string, Attribute>> items)
      : items_(items) {}

  std::int64_t integer(std::string_view name) const { return get<std::int64_t>(name); }
  double real(std::string_view name) const { return get<double>(name); }
  bool boolean(std::string_view name) const { return get<bool>(name); }
  DType dtype(std::string_view name) const { return get<DType>(name); }
  const std::vector<std::int64_t>& integers(std::string_view name) const {
    return get<std::vector<std::int64_t>>(name);
  }

  void set(std::string name, Attribute value) {
    items_.insert_or_assign(std::move(name), std::move(value));
  }
  bool has(std::string_view name) const { return items_.find(name) != items_.end(); }
  const std::map<std::string, Attribute, std::less<>>& items() const { return items_; }
  bool operator==(const Attributes&) const = default;

 private:
  template <class T>
  const T& get(std::string_view name) const {
    const auto at = items_.find(name);
    PENSTOCK_CHECK(at != items_.end(), "attribute '" + std::string(name) + "' is missing");
    const T* value = std::get_if<T>(&at->second);
    PENSTOCK_CHECK(value != nullptr, "attribute '" + std::string(name) + "' has another kind");
    return *value;
  }
  std::map<std::string, Attribute, std::less<>> items_;
};

}  // namespace penstock::program
