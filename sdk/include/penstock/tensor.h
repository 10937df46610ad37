#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penstock/error.h"
#include "penstock/types.h"

namespace penstock {

/// The C++ types that a tensor's elements can be read and written as.
template <class T>
concept Element = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, bool> ||
    std::same_as<T, std::int8_t> || std::same_as<T, std::uint8_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

template <Element T>
constexpr DType dtype_of() {
  if constexpr (std::same_as<T, float>) return DType::f32;
  if constexpr (std::same_as<T, double>) return DType::f64;
  if constexpr (std::same_as<T, bool>) return DType::boolean;
  if constexpr (std::same_as<T, std::int8_t>) return DType::i8;
  if constexpr (std::same_as<T, std::uint8_t>) return DType::u8;
  if constexpr (std::same_as<T, std::int32_t>) return DType::i32;
  if constexpr (std::same_as<T, std::int64_t>) return DType::i64;
}

using Extents = std::vector<std::int64_t>;

/// A dense, row-major array of numbers on the client. A value: copies share the bytes, which never
/// change.
/// Errors: Exception with invalid_argument where sizes or element types do not fit.
/// Threads: any
class Tensor {
 public:
  /// f32 with no elements, shape [0].
  Tensor();

  /// Rank 1. Takes the vector over without copying.
  template <Element T>
  requires(!std::same_as<T, bool>) Tensor(std::vector<T> values)
      : Tensor(std::move(values), Extents{-1}) {}

  /// Takes the vector over without copying. One extent may be -1: what is left.
  template <Element T>
  requires(!std::same_as<T, bool>) Tensor(std::vector<T> values, Extents shape) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const std::span<const std::byte> bytes = std::as_bytes(std::span<const T>(*owner));
    // Shared because tensors are values whose bytes are immutable.
    adopt(dtype_of<T>(), std::move(shape), {owner, bytes.data()}, bytes.size());
  }

  /// Copies the elements.
  template <Element T>
  Tensor(std::span<const T> values, Extents shape)
      : Tensor(from_bytes(dtype_of<T>(), std::move(shape), std::as_bytes(values))) {}

  /// A scalar, shape [].
  template <Element T>
  Tensor(T value) : Tensor(std::span<const T>(&value, 1), Extents{}) {}

  /// Copies `bytes`, which are little-endian elements. One extent may be -1.
  static Tensor from_bytes(DType dtype, Extents shape, std::span<const std::byte> bytes);
  /// The same, taking the bytes over without copying.
  static Tensor from_bytes(DType dtype, Extents shape, std::vector<std::byte>&& bytes);
  /// Shares `data` instead of copying it: a mapped file, say. The bytes must not change, and must
  /// be aligned for the element type.
  static Tensor sharing(DType dtype, Extents shape, std::shared_ptr<const std::byte> data,
                        std::size_t byte_count);
  /// A tensor whose bytes `fill` writes, once, before anybody else sees them. They start as zeros.
  static Tensor make(DType dtype, Extents shape,
                     const std::function<void(std::span<std::byte>)>& fill);
  static Tensor zeros(DType dtype, Extents shape);

  DType dtype() const { return dtype_; }
  const Extents& shape() const { return shape_; }
  std::int64_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_.get(), byte_count_}; }

  /// The elements, without converting them.
  template <Element T>
  std::span<const T> view() const {
    check_dtype(dtype_of<T>());
    return {reinterpret_cast<const T*>(data_.get()), static_cast<std::size_t>(size_)};
  }
  template <Element T>
  std::vector<T> to_vector() const {
    const std::span<const T> all = view<T>();
    return {all.begin(), all.end()};
  }
  /// The one element, whatever its type.
  double item() const;

  /// Rows [begin, end) of dimension 0; shares the bytes.
  Tensor rows(std::int64_t begin, std::int64_t end) const;
  /// The same elements under another shape; shares the bytes. One extent may be -1.
  Tensor reshape(Extents shape) const;

  /// "f32[64,784]"
  std::string text() const;

 private:
  void adopt(DType dtype, Extents shape, std::shared_ptr<const std::byte> data,
             std::size_t byte_count);
  void check_dtype(DType asked) const;

  DType dtype_ = DType::f32;
  Extents shape_{0};
  std::int64_t size_ = 0;
  std::size_t byte_count_ = 0;
  std::shared_ptr<const std::byte> data_;  // shared: the bytes are immutable
};

/// The named tensors of a call: `{{"x", images}, {"y", labels}}`.
using Tensors = std::map<std::string, Tensor, std::less<>>;

}  // namespace penstock
