#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace penstock::program {

/// Element types. Kernels exist for f32 f64 i32 i64 u8 boolean; the others are typed, stored and
/// refused with a message where a kernel would be needed.
enum class DType : std::uint8_t { f32, f16, bf16, f64, i8, u8, i32, i64, boolean };

inline constexpr int kDTypeCount = 9;

/// "f32", "f16", "bf16", "f64", "i8", "u8", "i32", "i64", "bool".
std::string_view name(DType dtype);
std::optional<DType> parse_dtype(std::string_view text);
/// Bytes of one element.
std::int64_t size_of(DType dtype);
bool is_float(DType dtype);
/// Whether this build has kernels for the element type.
bool has_kernels(DType dtype);

/// One dimension. A dynamic dimension has at most `bound` rows; its true size comes with each call
/// (last batches), and is one number for all dynamic dimensions of an entry: the batch.
struct Dim {
  std::int64_t bound = 0;
  bool dynamic = false;

  constexpr Dim() = default;
  constexpr Dim(std::int64_t size) : bound(size) {}
  constexpr Dim(std::int64_t size, bool is_dynamic) : bound(size), dynamic(is_dynamic) {}
  bool operator==(const Dim&) const = default;
};

/// The batch dimension: up to `bound` rows.
constexpr Dim batch(std::int64_t bound) {
  return {bound, true};
}

using Shape = std::vector<Dim>;

/// Products of bounds, overflow-checked when a program is verified (kMaxElements).
std::int64_t element_count(const Shape& shape);
std::vector<std::int64_t> bounds(const Shape& shape);
/// Index of the dynamic dimension, or -1. At most one per shape.
int dynamic_dim(const Shape& shape);

/// What a value is: element type and shape. Text form: `f32[<=64,784]`, `i64[]`.
struct TensorType {
  DType dtype = DType::f32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
};

std::int64_t byte_count(const TensorType& type);
std::string to_text(const Shape& shape);
std::string to_text(const TensorType& type);
/// Errors: invalid_argument naming the text. Bounds are not checked here: see check_shape.
Result<TensorType> parse_type(std::string_view text);

/// Limits on everything that a program from outside may ask for.
struct Limits {
  std::int64_t text_bytes = 16 << 20;
  std::int64_t nodes_per_entry = 100000;
  std::int64_t entries = 64;
  std::int64_t variables = 100000;
  std::int64_t rank = 8;
  std::int64_t elements = std::int64_t{1} << 36;
  std::int64_t name_bytes = 256;
  std::int64_t inputs_per_node = 64;
};

/// Checks rank, sign and overflow-checked size against the limits, and that at most one dimension
/// is dynamic.
/// Errors: invalid_argument naming the shape and the limit.
Status check_shape(const Shape& shape, const Limits& limits);

/// Names are 1 to limits.name_bytes of A-Z a-z 0-9 _ . - / and begin with a letter or `_`.
/// Errors: invalid_argument
Status check_name(std::string_view name, const Limits& limits);

}  // namespace penstock::program
