#include "schema/program/attributes.h"

#include <array>
#include <charconv>

namespace penstock::program {

std::string_view name(AttributeKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"an integer", "a real number", "a boolean",
                                                      "an element type", "a list of integers"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_text(double value) {
  std::array<char, 40> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // n: inf, nan
  return text;
}

std::string to_text(const Attribute& attribute) {
  if (const auto* integer = std::get_if<std::int64_t>(&attribute)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&attribute)) return to_text(*real);
  if (const auto* boolean = std::get_if<bool>(&attribute)) return *boolean ? "true" : "false";
  if (const auto* dtype = std::get_if<DType>(&attribute)) return std::string(name(*dtype));
  std::string out = "[";
  for (const std::int64_t item : std::get<std::vector<std::int64_t>>(attribute)) {
    if (out.size() > 1) out += ',';
    out += std::to_string(item);
  }
  return out + "]";
}

}  // namespace penstock::program
