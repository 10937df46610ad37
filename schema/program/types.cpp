#include "schema/program/types.h"

#include <array>
#include <charconv>

#include "base/check.h"
#include "base/units.h"

namespace penstock::program {
namespace {

struct DTypeRow {
  std::string_view name;
  std::int64_t bytes;
  bool is_float;
  bool has_kernels;
};

constexpr std::array<DTypeRow, kDTypeCount> kRows = {{
    {"f32", 4, true, true},
    {"f16", 2, true, false},
    {"bf16", 2, true, false},
    {"f64", 8, true, true},
    {"i8", 1, false, false},
    {"u8", 1, false, true},
    {"i32", 4, false, true},
    {"i64", 8, false, true},
    {"bool", 1, false, true},
}};

const DTypeRow& row(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  PENSTOCK_CHECK(index < kRows.size());
  return kRows[index];
}

// A type's text is at most this long, so that an error can repeat it.
constexpr std::size_t kTypeTextMax = 512;

Error bad_type(std::string_view text) {
  return invalid("'" + std::string(text.substr(0, 80)) +
                 "' is not a type; write an element type and sizes, such as f32[<=64,784]");
}

/// Reads `64` or `<=64` and moves past it.
bool read_dim(std::string_view& text, Dim& dim) {
  if (text.starts_with("<=")) {
    dim.dynamic = true;
    text.remove_prefix(2);
  }
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), dim.bound);
  if (failure != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string_view name(DType dtype) {
  return row(dtype).name;
}

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == text) return static_cast<DType>(i);
  return std::nullopt;
}

std::int64_t size_of(DType dtype) {
  return row(dtype).bytes;
}
bool is_float(DType dtype) {
  return row(dtype).is_float;
}
bool has_kernels(DType dtype) {
  return row(dtype).has_kernels;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const Dim& dim : shape) count *= dim.bound;
  return count;
}

std::vector<std::int64_t> bounds(const Shape& shape) {
  std::vector<std::int64_t> out;
  out.reserve(shape.size());
  for (const Dim& dim : shape) out.push_back(dim.bound);
  return out;
}

int dynamic_dim(const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].dynamic) return static_cast<int>(i);
  return -1;
}

std::int64_t byte_count(const TensorType& type) {
  return element_count(type.shape) * size_of(type.dtype);
}

std::string to_text(const Shape& shape) {
  std::string out = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) out += ',';
    if (shape[i].dynamic) out += "<=";
    out += std::to_string(shape[i].bound);
  }
  return out + "]";
}

std::string to_text(const TensorType& type) {
  return std::string(name(type.dtype)) + to_text(type.shape);
}

Result<TensorType> parse_type(std::string_view text) {
  const std::string_view whole = text;
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos || text.size() > kTypeTextMax) return bad_type(whole);
  const std::optional<DType> dtype = parse_dtype(text.substr(0, open));
  if (!dtype) return bad_type(whole);
  TensorType type{*dtype, {}};
  text.remove_prefix(open + 1);
  if (text == "]") return type;
  while (true) {
    Dim dim;
    if (!read_dim(text, dim) || text.empty()) return bad_type(whole);
    type.shape.push_back(dim);
    const char separator = text[0];
    text.remove_prefix(1);
    if (separator == ']' && text.empty()) return type;
    if (separator != ',') return bad_type(whole);
  }
}

Status check_shape(const Shape& shape, const Limits& limits) {
  if (static_cast<std::int64_t>(shape.size()) > limits.rank)
    return invalid("shape has " + std::to_string(shape.size()) + " dimensions, at most " +
                   std::to_string(limits.rank) + " are allowed");
  std::int64_t count = 1;
  int dynamic = 0;
  for (const Dim& dim : shape) {
    if (dim.bound < 0) return invalid("shape " + to_text(shape) + " has a negative size");
    if (dim.bound > limits.elements)
      return invalid("shape " + to_text(shape) + " has a size over the limit of " +
                     std::to_string(limits.elements));
    dynamic += dim.dynamic ? 1 : 0;
    // A size of 0 must not hide an overflow of the others: buffers of parts are sized from them.
    const Result<std::int64_t> next = checked_mul(count, dim.bound > 0 ? dim.bound : 1);
    if (!next.ok() || *next > limits.elements)
      return invalid("shape " + to_text(shape) + " has more than " +
                     std::to_string(limits.elements) + " elements");
    count = *next;
  }
  if (dynamic > 1)
    return invalid("shape " + to_text(shape) + " has more than one dynamic dimension");
  return {};
}

Status check_name(std::string_view name, const Limits& limits) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty()) return invalid("a name is empty");
  if (static_cast<std::int64_t>(name.size()) > limits.name_bytes)
    return invalid("name '" + std::string(name.substr(0, 40)) + "...' is longer than " +
                   std::to_string(limits.name_bytes) + " bytes");
  for (const char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '.' && c != '-' && c != '/')
      return invalid("name '" + std::string(name.substr(0, 80)) +
                     "' has a character other than A-Z a-z 0-9 _ . - /");
  if (!letter(name[0]))
    return invalid("name '" + std::string(name.substr(0, 80)) + "' must begin with a letter or _");
  return {};
}

}  // namespace penstock::program
