#include "sdk/src/formats/stored_type.h"

#include <array>
#include <cstdint>
#include <string>

#include "base/units.h"

namespace penstock::weights {
namespace {

constexpr std::array<StoredType, 12> kTypes = {{
    {"F32", "<f4", 4, DType::f32, true},
    {"F16", "<f2", 2, DType::f16, true},
    {"BF16", "", 2, DType::bf16, true},
    {"F64", "<f8", 8, DType::f64, true},
    {"I8", "|i1", 1, DType::i8, true},
    {"U8", "|u1", 1, DType::u8, false},
    {"I32", "<i4", 4, DType::i32, true},
    {"I64", "<i8", 8, DType::i64, true},
    {"BOOL", "|b1", 1, DType::boolean, false},
    {"I16", "<i2", 2, DType::i32, true},
    {"U16", "<u2", 2, DType::i32, false},
    {"U32", "<u4", 4, DType::i64, false},
}};

std::uint64_t widened(std::uint64_t value, const StoredType& type) {
  const int unused = 64 - static_cast<int>(type.bytes) * 8;
  if (!type.is_signed) return value;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

Tensor widen(const StoredType& type, Extents shape, std::span<const std::byte> bytes) {
  const auto from = static_cast<std::size_t>(type.bytes);
  const auto to = static_cast<std::size_t>(program::size_of(type.dtype));
  return Tensor::make(type.dtype, std::move(shape), [&](std::span<std::byte> out) {
    for (std::size_t i = 0; i < bytes.size() / from; ++i) {
      const std::uint64_t value = widened(little_endian(bytes.subspan(i * from, from)), type);
      std::memcpy(out.data() + i * to, &value, to);
    }
  });
}

}  // namespace

const StoredType* stored_type_of_safetensors(std::string_view name) {
  for (const StoredType& type : kTypes)
    if (type.name == name) return &type;
  return nullptr;
}

const StoredType* stored_type_of_numpy(std::string_view descr) {
  for (const StoredType& type : kTypes)
    if (!type.descr.empty() && type.descr == descr) return &type;
  return nullptr;
}

const StoredType& stored_type_of(DType dtype) {
  for (const StoredType& type : kTypes)
    if (type.dtype == dtype && type.bytes == program::size_of(dtype)) return type;
  PENSTOCK_CHECK(false, "an element type without a row");
  return kTypes[0];
}

std::string stored_type_names() {
  std::string names;
  for (const StoredType& type : kTypes)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

Result<Tensor> tensor_in(const FileBytes& file, const StoredType& type, Extents shape,
                         std::span<const std::byte> bytes) {
  if (type.dtype == DType::boolean)
    for (const std::byte value : bytes)
      if (value > std::byte{1})
        return damaged(file.path, "a bool is " + std::to_string(std::to_integer<int>(value)) +
                                      ", which is neither 0 nor 1");
  if (type.bytes != program::size_of(type.dtype)) return widen(type, std::move(shape), bytes);
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (file.owner == nullptr || at % static_cast<std::uintptr_t>(type.bytes) != 0)
    return Tensor::from_bytes(type.dtype, std::move(shape), bytes);
  return Tensor::sharing(type.dtype, std::move(shape), {file.owner, bytes.data()}, bytes.size());
}

Result<std::int64_t> count_elements(const Extents& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    PENSTOCK_ASSIGN(count, checked_mul(count, extent));
  }
  return count;
}

}  // namespace penstock::weights
