#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/units.h"
#include "schema/program/types.h"
#include "schema/wire/common.capnp.h"

namespace penstock::wire {

/// Tensors of at most this many bytes travel inside their message; larger ones are streamed.
inline constexpr std::uint64_t kInlineBytesMax = 1 << 20;
/// Size of the chunks of a stream.
inline constexpr std::uint64_t kChunkBytes = 256 << 10;
/// Largest message that is accepted or sent.
inline constexpr std::uint64_t kMessageBytesMax = 16 << 20;

/// One call's cost and time as values; field meanings in common.capnp.
struct CallTime {
  Nanoseconds queue{}, input{}, compute{}, communication{}, total{};
  void add(const CallTime& more);
  bool operator==(const CallTime&) const = default;
};

struct CallUsage {
  std::int64_t device_ns = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t steps = 0;
  Money price;
  void add(const CallUsage& more);
  bool operator==(const CallUsage&) const = default;
};

void set(TimeSplit::Builder out, const CallTime& time);
CallTime read(TimeSplit::Reader in);
void set(Usage::Builder out, const CallUsage& usage);
CallUsage read(Usage::Reader in);

/// The type of a tensor from outside: static extents, within limits.
/// Errors: invalid_argument naming the tensor: unknown element type, rank or size past the limits.
Result<program::TensorType> read_type(kj::StringPtr name, kj::StringPtr dtype,
                                      capnp::List<std::int64_t>::Reader shape);
Result<program::TensorType> read_type(Tensor::Reader in);
/// Fills in name, dtype and shape (bounds).
void set_type(Tensor::Builder out, const std::string& name, const program::TensorType& type);

inline std::string to_string(kj::StringPtr text) {
  return {text.cStr(), text.size()};
}
inline kj::StringPtr to_kj(const std::string& text) {
  return {text.data(), text.size()};
}

}  // namespace penstock::wire
