#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// One file of an archive, still packed.
struct ZipEntry {
  std::string name;
  std::uint32_t crc = 0;
  std::uint64_t size = 0;  // unpacked
  bool deflated = false;
  std::span<const std::byte> packed;
};

/// The files of a zip archive that is in memory, as its directory lists them.
/// Errors: data_loss naming the entry; unimplemented for zip64, encryption and other methods
/// Source: PKWARE APPNOTE.TXT 6.3.9
Result<std::vector<ZipEntry>> list_zip(const FileBytes& file);

/// The content of an entry, its checksum compared; stored ones share the file's bytes.
Result<FileBytes> unpack(const FileBytes& file, const ZipEntry& entry);

/// Writes an archive, file by file. Errors: unimplemented beyond 4 GiB and beyond 65,535 files
class ZipWriter {
 public:
  ZipWriter(std::string path, const Sink& sink) : path_(std::move(path)), sink_(sink) {}
  /// `parts` are the file's bytes, one after the other.
  Status add(const std::string& name, const std::vector<std::span<const std::byte>>& parts,
             bool deflated);
  /// Writes the directory.
  Status finish();

 private:
  Status put(const std::string& bytes);

  const std::string path_;
  const Sink& sink_;
  std::string directory_;
  std::uint64_t at_ = 0;
  std::uint64_t entries_ = 0;
};

}  // namespace penstock::weights
