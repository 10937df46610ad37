#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock::net {

/// Who may read a file that is written here.
enum class FileAccess { owner_only, everybody };

/// Writes the whole file under a temporary name with its final mode, then moves it into place, so
/// that nobody ever reads half of it or too much of it.
Status write_file(const std::string& path, std::string_view content, FileAccess access);

/// Reads a file of at most 64 KiB.
/// Errors: not_found, permission_denied (also when the file must be the owner's only but others
/// may read it), invalid_argument if it is longer
Result<std::string> read_file(const std::string& path, FileAccess access);

}  // namespace penstock::net
