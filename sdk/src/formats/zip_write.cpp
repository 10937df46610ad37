#include <zlib.h>

#include <limits>

#include "sdk/src/formats/zip.h"

namespace penstock::weights {
namespace {

constexpr std::uint64_t kBytesMax = 0xfffffffe;
constexpr std::uint64_t kEntriesMax = 0xfffe;
constexpr std::uint16_t kDate = (1980 - 1980) << 9 | 1 << 5 | 1;  // the same bytes at any time

void put16(std::string& out, std::uint64_t value) {
  out += static_cast<char>(value & 0xff);
  out += static_cast<char>(value >> 8 & 0xff);
}
void put32(std::string& out, std::uint64_t value) {
  put16(out, value & 0xffff);
  put16(out, value >> 16);
}

/// The fields that local header and directory share.
void put_shared(std::string& out, bool deflated, std::uint64_t crc, std::uint64_t packed,
                std::uint64_t size, std::uint64_t name_bytes) {
  put16(out, 20);       // version needed
  put16(out, 1 << 11);  // the name is UTF-8
  put16(out, deflated ? 8 : 0);
  put16(out, 0);
  put16(out, kDate);
  put32(out, crc);
  put32(out, packed);
  put32(out, size);
  put16(out, name_bytes);
  put16(out, 0);  // no extra field
}

Result<std::string> deflate_all(const std::vector<std::span<const std::byte>>& parts,
                                const std::string& path) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return Error{ErrorCode::resource_exhausted, path + ": no memory for zlib"};
  std::string out;
  std::string piece(1 << 16, '\0');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(parts[i].data()));
    stream.avail_in = static_cast<uInt>(parts[i].size());
    const int flush = i + 1 == parts.size() ? Z_FINISH : Z_NO_FLUSH;
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      deflate(&stream, flush);
      out.append(piece.data(), piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace

Status ZipWriter::put(const std::string& bytes) {
  at_ += bytes.size();
  return sink_(std::as_bytes(std::span<const char>(bytes)));
}

Status ZipWriter::add(const std::string& name, const std::vector<std::span<const std::byte>>& parts,
                      bool deflated) {
  std::uint64_t size = 0;
  uLong crc = 0;
  for (const auto& part : parts) {
    size += part.size();
    if (!part.empty()) crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  const auto too_large = [&] {
    return Error{ErrorCode::unimplemented,
                 path_ + ": with " + shown(name) +
                     " it would pass 4 GiB or 65,534 arrays; write safetensors"};
  };
  if (size > kBytesMax || ++entries_ > kEntriesMax || name.size() > kEntriesMax) return too_large();
  std::string packed;
  if (deflated) {
    PENSTOCK_ASSIGN(packed, deflate_all(parts, path_));
  }
  const std::uint64_t packed_size = deflated ? packed.size() : size;
  if (at_ + packed_size + directory_.size() > kBytesMax - (1 << 20)) return too_large();
  put32(directory_, 0x02014b50);
  put16(directory_, 20);  // made by
  put_shared(directory_, deflated, crc, packed_size, size, name.size());
  put16(directory_, 0);  // no comment
  put16(directory_, 0);  // disk
  put16(directory_, 0);  // kind of content
  put32(directory_, 0);  // permissions
  put32(directory_, at_);
  directory_ += name;
  std::string header;
  put32(header, 0x04034b50);
  put_shared(header, deflated, crc, packed_size, size, name.size());
  PENSTOCK_TRY(put(header + name));
  if (deflated) return put(packed);
  for (const auto& part : parts) PENSTOCK_TRY(sink_(part));
  at_ += size;
  return {};
}

Status ZipWriter::finish() {
  const std::uint64_t begin = at_;
  std::string end;
  put32(end, 0x06054b50);
  put32(end, 0);  // disks
  put16(end, entries_);
  put16(end, entries_);
  put32(end, directory_.size());
  put32(end, begin);
  put16(end, 0);  // no comment
  PENSTOCK_TRY(put(directory_));
  return put(end);
}

}  // namespace penstock::weights
