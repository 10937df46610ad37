#include "sdk/src/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace penstock::weights {
namespace {

static_assert(std::endian::native == std::endian::little, "files and memory share a byte order");

struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Error refused(const std::string& path, const char* what) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable;
  return {code, path + ": cannot " + what + ": " + std::strerror(errno)};
}

Status write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return refused(path, "write it");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

}  // namespace

Result<FileBytes> map_file(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) return refused(path, "open it");
  struct stat about {};
  if (::fstat(file.fd, &about) != 0) return refused(path, "look at it");
  if (!S_ISREG(about.st_mode)) return invalid(path + ": it is no regular file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return FileBytes{path, {}, nullptr};
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED) return refused(path, "map it");
  const auto* first = static_cast<const std::byte*>(start);
  return FileBytes{path, {first, size}, {first, [size](const std::byte* at) {
                                           ::munmap(const_cast<std::byte*>(at), size);
                                         }}};
}

Status write_file(const std::string& path, const std::function<Status(const Sink&)>& fill) {
  std::string beside = path + ".XXXXXX";
  const Descriptor file{::mkostemp(beside.data(), O_CLOEXEC)};
  if (file.fd < 0) return refused(path, "write beside it");
  const auto finish = [&]() -> Status {
    PENSTOCK_TRY(
        fill([&](std::span<const std::byte> bytes) { return write_all(file.fd, bytes, path); }));
    ::fchmod(file.fd, 0644);
    if (::fsync(file.fd) != 0) return refused(path, "write it");
    if (::rename(beside.c_str(), path.c_str()) != 0) return refused(path, "replace it");
    return {};
  };
  Status done = finish();
  if (!done.ok()) ::unlink(beside.c_str());
  return done;
}

Error damaged(std::string_view path, std::string_view why) {
  return {ErrorCode::data_loss,
          std::string(path) + ": " + std::string(why) + "; get the file again"};
}

std::string shown(std::string_view name) {
  constexpr std::size_t kShown = 80;
  std::string out = "'";
  for (const char c : name.substr(0, kShown))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (name.size() > kShown ? "..'" : "'");
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    value = (value << 8) | std::to_integer<std::uint64_t>(bytes[i - 1]);
  return value;
}

}  // namespace penstock::weights
