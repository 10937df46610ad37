#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::weights {

/// The bytes of a file and who keeps them: a mapping, or a test's own memory.
struct FileBytes {
  std::string path;  // for messages
  std::span<const std::byte> bytes;
  std::shared_ptr<const std::byte> owner;  // of bytes.data(); shared with the tensors inside
};

/// Maps a file for reading. Errors: not_found naming the path and why
Result<FileBytes> map_file(const std::string& path);

using Sink = std::function<Status(std::span<const std::byte>)>;

/// Writes a file beside `path` through the sink that `fill` gets, and moves it there when all of it
/// is on disk, so that readers never see a half. Errors: `fill`'s; unavailable naming path and why
Status write_file(const std::string& path, const std::function<Status(const Sink&)>& fill);

/// "FILE: WHY", with what to do. The message repeats at most 80 bytes of a name from the file.
Error damaged(std::string_view path, std::string_view why);
std::string shown(std::string_view name);

std::uint64_t little_endian(std::span<const std::byte> bytes);

}  // namespace penstock::weights
