#include <zlib.h>

#include <set>

#include "sdk/src/formats/zip.h"

namespace penstock::weights {
namespace {

constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kCommentBytesMax = 65535;
constexpr std::size_t kDirectoryBytes = 46;  // of one entry, without its texts
constexpr std::size_t kLocalBytes = 30;
constexpr std::uint32_t kZip64 = 0xffffffff;
constexpr std::uint64_t kEndMark = 0x06054b50, kDirectoryMark = 0x02014b50;
constexpr std::uint64_t kLocalMark = 0x04034b50;
constexpr std::uint64_t kStored = 0, kDeflated = 8;
// Deflate packs at most 1032 bytes into one; what claims more is damaged, and is not allocated.
constexpr std::uint64_t kDeflateFactorMax = 1032;

/// Reads numbers at places of a record.
struct ZipRecord {
  std::span<const std::byte> bytes;
  std::uint64_t u16(std::size_t at) const { return little_endian(bytes.subspan(at, 2)); }
  std::uint64_t u32(std::size_t at) const { return little_endian(bytes.subspan(at, 4)); }
};

Error no_zip64(const FileBytes& file) {
  return {ErrorCode::unimplemented,
          file.path + ": it is a zip64 archive; keep what exceeds 4 GiB in safetensors"};
}

/// The record at the end of every archive, which says where the directory is.
Result<ZipRecord> find_end(const FileBytes& file) {
  const std::size_t size = file.bytes.size();
  if (size < kEndBytes) return damaged(file.path, "it is too short for a zip archive");
  const std::size_t first = size - std::min(size, kEndBytes + kCommentBytesMax);
  for (std::size_t at = size - kEndBytes + 1; at-- > first;) {
    const ZipRecord record{file.bytes.subspan(at, kEndBytes)};
    if (record.u32(0) == kEndMark && record.u16(20) == size - at - kEndBytes) return record;
  }
  return damaged(file.path, "no directory of a zip archive is at its end");
}

/// Where the content of an entry is, which its local header decides.
Result<std::span<const std::byte>> packed_bytes(const FileBytes& file, const std::string& name,
                                                std::uint64_t local, std::uint64_t packed) {
  const std::uint64_t size = file.bytes.size();
  const Error outside = damaged(file.path, "entry " + shown(name) + " lies outside the file");
  if (local > size || size - local < kLocalBytes) return outside;
  const ZipRecord record{file.bytes.subspan(local, kLocalBytes)};
  if (record.u32(0) != kLocalMark)
    return damaged(file.path, "entry " + shown(name) + " does not begin where the directory says");
  const std::uint64_t begin = local + kLocalBytes + record.u16(26) + record.u16(28);
  if (begin > size || size - begin < packed) return outside;
  return file.bytes.subspan(begin, packed);
}

Result<ZipEntry> read_entry(const FileBytes& file, const ZipRecord& record, std::string name) {
  const auto refused = [&](const std::string& why) {
    return Error{ErrorCode::unimplemented, file.path + ": entry " + shown(name) + " " + why};
  };
  if ((record.u16(8) & 1) != 0) return refused("is encrypted");
  const std::uint64_t method = record.u16(10);
  if (method != kStored && method != kDeflated)
    return refused("is packed by method " + std::to_string(method) +
                   "; stored (0) and deflated (8) are read");
  if (record.u32(20) == kZip64 || record.u32(24) == kZip64 || record.u32(42) == kZip64)
    return no_zip64(file);
  ZipEntry entry{.name = std::move(name),
                 .crc = static_cast<std::uint32_t>(record.u32(16)),
                 .size = record.u32(24),
                 .deflated = method == kDeflated,
                 .packed = {}};
  const std::uint64_t packed = record.u32(20);
  PENSTOCK_ASSIGN(entry.packed, packed_bytes(file, entry.name, record.u32(42), packed));
  if (entry.deflated ? entry.size > (packed + 1) * kDeflateFactorMax : entry.size != packed)
    return damaged(file.path, "entry " + shown(entry.name) + " claims " +
                                  std::to_string(entry.size) + " bytes from " +
                                  std::to_string(packed));
  return entry;
}

}  // namespace

Result<std::vector<ZipEntry>> list_zip(const FileBytes& file) {
  PENSTOCK_ASSIGN(const ZipRecord end, find_end(file));
  const std::uint64_t count = end.u16(10), length = end.u32(12), begin = end.u32(16);
  if (count == 0xffff || length == kZip64 || begin == kZip64) return no_zip64(file);
  const std::uint64_t size = file.bytes.size();
  if (begin > size || size - begin < length)
    return damaged(file.path, "its directory lies outside the file");
  std::span<const std::byte> rest = file.bytes.subspan(begin, length);
  std::vector<ZipEntry> entries;
  std::set<std::string> names;
  std::uint64_t packed = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Error cut = damaged(file.path, "its directory ends inside entry " + std::to_string(i));
    if (rest.size() < kDirectoryBytes) return cut;
    const ZipRecord record{rest.first(kDirectoryBytes)};
    const std::uint64_t name_bytes = record.u16(28);
    const std::uint64_t whole = kDirectoryBytes + name_bytes + record.u16(30) + record.u16(32);
    if (record.u32(0) != kDirectoryMark || rest.size() < whole) return cut;
    const auto* text = reinterpret_cast<const char*>(rest.data() + kDirectoryBytes);
    PENSTOCK_ASSIGN(ZipEntry entry, read_entry(file, record, std::string(text, name_bytes)));
    if (!names.insert(entry.name).second)
      return damaged(file.path, "entry " + shown(entry.name) + " is there twice");
    packed += entry.packed.size();
    if (packed > size) return damaged(file.path, "its entries overlap");
    entries.push_back(std::move(entry));
    rest = rest.subspan(whole);
  }
  return entries;
}

Result<FileBytes> unpack(const FileBytes& file, const ZipEntry& entry) {
  const std::string place = file.path + " (" + entry.name + ")";
  FileBytes out{place, entry.packed, file.owner};
  if (entry.deflated) {
    auto content = std::make_shared<std::vector<std::byte>>(entry.size);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      return Error{ErrorCode::resource_exhausted, place + ": no memory for zlib"};
    // Sizes are below 4 GiB: zip64 is refused.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(entry.packed.data()));
    stream.avail_in = static_cast<uInt>(entry.packed.size());
    std::byte none{};
    stream.next_out = reinterpret_cast<Bytef*>(content->empty() ? &none : content->data());
    stream.avail_out = static_cast<uInt>(content->size());
    const int code = inflate(&stream, Z_FINISH);
    const bool whole = code == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!whole)
      return damaged(place, "it does not unpack to " + std::to_string(entry.size) + " bytes");
    out.bytes = *content;
    out.owner = {content, content->data()};
  }
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(out.bytes.data()), out.bytes.size()));
  if (!out.bytes.empty() && crc != entry.crc)
    return damaged(place, "its checksum is " + std::to_string(crc) + ", the archive says " +
                              std::to_string(entry.crc));
  return out;
}

}  // namespace penstock::weights
