#include "sdk/src/formats/npz.h"

#include "sdk/src/formats/npy.h"
#include "sdk/src/formats/zip.h"

namespace penstock::weights {

Result<Tensors> parse_npz(const FileBytes& file) {
  PENSTOCK_ASSIGN(const std::vector<ZipEntry> entries, list_zip(file));
  Tensors tensors;
  for (const ZipEntry& entry : entries) {
    constexpr std::string_view kEnd = ".npy";
    if (!entry.name.ends_with(kEnd))
      return damaged(file.path, "entry " + shown(entry.name) + " is no .npy file");
    PENSTOCK_ASSIGN(const FileBytes content, unpack(file, entry));
    PENSTOCK_ASSIGN(Tensor tensor, parse_npy(content));
    tensors.emplace(entry.name.substr(0, entry.name.size() - kEnd.size()), std::move(tensor));
  }
  return tensors;
}

Result<Tensors> read_npz(const std::string& path) {
  PENSTOCK_ASSIGN(const FileBytes file, map_file(path));
  return parse_npz(file);
}

Status write_npz(const std::string& path, const Tensors& tensors, Compression compression) {
  return write_file(path, [&](const Sink& sink) -> Status {
    ZipWriter zip(path, sink);
    for (const auto& [name, tensor] : tensors) {
      Result<std::string> header = npy_header(tensor, path);
      if (!header.ok()) return std::move(header).error().in("tensor " + shown(name));
      PENSTOCK_TRY(zip.add(name + ".npy",
                           {std::as_bytes(std::span<const char>(*header)), tensor.bytes()},
                           compression == Compression::deflate));
    }
    return zip.finish();
  });
}

}  // namespace penstock::weights
