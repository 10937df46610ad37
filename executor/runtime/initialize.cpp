#include "executor/runtime/initialize.h"

#include <cstring>
#include <string>

#include "base/check.h"
#include "base/random.h"

namespace penstock::runtime {
namespace {

using program::DType;
using program::Initializer;

double draw(const program::Variable& variable, std::uint64_t seed, std::uint64_t stream,
            std::int64_t global_index) {
  const Initializer& from = variable.initializer;
  const auto index = static_cast<std::uint64_t>(global_index);
  switch (from.kind) {
    case Initializer::Kind::constant:
      return from.a;
    case Initializer::Kind::uniform:
      return from.a + (from.b - from.a) * philox_unit(seed, stream, index);
    case Initializer::Kind::normal:
      return from.a + from.b * philox_normal(seed, stream, index);
  }
  return 0;
}

template <class T>
void write(const program::Variable& variable, std::uint64_t seed,
           const std::vector<program::Range>& part, std::span<std::byte> bytes) {
  const std::uint64_t stream = draw_stream(variable.name);
  const std::vector<std::int64_t> sizes = program::bounds(variable.type.shape);
  const std::size_t rank = sizes.size();
  std::vector<std::int64_t> index(rank);
  for (std::size_t dim = 0; dim < rank; ++dim) index[dim] = part[dim].begin;

  T* out = reinterpret_cast<T*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t global = 0;
    for (std::size_t dim = 0; dim < rank; ++dim) global = global * sizes[dim] + index[dim];
    out[i] = static_cast<T>(draw(variable, seed, stream, global));
    for (std::size_t dim = rank; dim-- > 0;) {
      if (++index[dim] < part[dim].end) break;
      index[dim] = part[dim].begin;
    }
  }
}

}  // namespace

std::uint64_t draw_stream(std::string_view variable) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : variable) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

Status initialize(const program::Variable& variable, std::uint64_t seed,
                  const std::vector<program::Range>& part, std::span<std::byte> bytes) {
  const Initializer& from = variable.initializer;
  if (from.kind == Initializer::Kind::constant && from.a == 0) {
    if (!bytes.empty()) std::memset(bytes.data(), 0, bytes.size());
    return {};
  }
  switch (variable.type.dtype) {
    case DType::f32:
      write<float>(variable, seed, part, bytes);
      return {};
    case DType::f64:
      write<double>(variable, seed, part, bytes);
      return {};
    case DType::i32:
      write<std::int32_t>(variable, seed, part, bytes);
      return {};
    case DType::i64:
      write<std::int64_t>(variable, seed, part, bytes);
      return {};
    case DType::u8:
      write<std::uint8_t>(variable, seed, part, bytes);
      return {};
    case DType::boolean:
      write<bool>(variable, seed, part, bytes);
      return {};
    default:
      return Error{ErrorCode::unimplemented,
                   "variable '" + variable.name + "': no initial values for " +
                       std::string(program::name(variable.type.dtype)) + " but 0"};
  }
}

}  // namespace penstock::runtime
