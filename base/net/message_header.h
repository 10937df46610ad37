#pragma once

#include <capnp/common.h>
#include <kj/array.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace penstock::net {

/// The segment table in front of every message: count - 1 and the sizes in words, as little-endian
/// 32-bit numbers, padded to whole words.
/// Source: https://capnproto.org/encoding.html#serialization-over-a-stream
struct MessageHeader {
  std::vector<std::uint32_t> segment_words;
  std::size_t body_words = 0;
};

inline constexpr std::uint32_t kSegmentsMax = 512;

/// Bytes of the whole table, from its first four bytes.
/// Errors: invalid_argument for more than 512 segments
Result<std::size_t> header_bytes(const unsigned char* first4);

/// Reads a whole table. Nothing is allocated for a body that is over the limit.
/// Errors: resource_exhausted beyond `body_bytes_max`
Result<MessageHeader> read_header(const unsigned char* table, std::size_t body_bytes_max);

/// Appends the table of `segments` to `out`.
void append_header(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments,
                   std::vector<unsigned char>& out);

std::size_t body_bytes(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

}  // namespace penstock::net
