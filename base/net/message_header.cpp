#include "base/net/message_header.h"

#include <string>

#include "base/units.h"

namespace penstock::net {

namespace {

std::uint32_t read_u32(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

void append_u32(std::uint32_t value, std::vector<unsigned char>& out) {
  for (int shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<unsigned char>(value >> shift));
  }
}

}  // namespace

Result<std::size_t> header_bytes(const unsigned char* first4) {
  const std::uint32_t count_minus_1 = read_u32(first4);
  if (count_minus_1 >= kSegmentsMax) {
    return invalid("the message header claims " + std::to_string(count_minus_1 + std::uint64_t{1}) +
                   " segments, but 512 is the most; the peer does not speak this protocol");
  }
  return ((std::size_t{count_minus_1} + 1) / 2 + 1) * sizeof(capnp::word);
}

Result<MessageHeader> read_header(const unsigned char* table, std::size_t body_bytes_max) {
  const std::size_t count = std::size_t{read_u32(table)} + 1;
  MessageHeader header;
  for (std::size_t i = 0; i < count; ++i) {
    header.segment_words.push_back(read_u32(table + 4 + 4 * i));
    header.body_words += header.segment_words.back();
  }
  if (header.body_words > body_bytes_max / sizeof(capnp::word)) {
    return Error{ErrorCode::resource_exhausted,
                 "the message header claims " +
                     format_bytes(header.body_words * sizeof(capnp::word)) + ", but the limit is " +
                     format_bytes(body_bytes_max) + "; larger data travels as a stream of chunks"};
  }
  return header;
}

void append_header(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments,
                   std::vector<unsigned char>& out) {
  append_u32(static_cast<std::uint32_t>(segments.size() - 1), out);
  for (const auto& segment : segments) {
    append_u32(static_cast<std::uint32_t>(segment.size()), out);
  }
  if (segments.size() % 2 == 0) append_u32(0, out);
}

std::size_t body_bytes(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  std::size_t bytes = 0;
  for (const auto& segment : segments) bytes += segment.asBytes().size();
  return bytes;
}

}  // namespace penstock::net
