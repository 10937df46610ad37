#include "base/net/private_file.h"

#include <errno.h>
#include <fcntl.h>
#include <kj/io.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace penstock::net {

namespace {

constexpr std::size_t kFileBytesMax = 64 * 1024;

Error system_error(std::string_view operation, const std::string& path, int error) {
  const ErrorCode code = error == ENOENT                      ? ErrorCode::not_found
                         : error == EACCES || error == EPERM  ? ErrorCode::permission_denied
                         : error == EEXIST                    ? ErrorCode::already_exists
                         : error == ENOSPC || error == EDQUOT ? ErrorCode::resource_exhausted
                                                              : ErrorCode::internal;
  return {code, std::string(operation) + " " + path + ": " + strerrordesc_np(error)};
}

}  // namespace

Status write_file(const std::string& path, std::string_view content, FileAccess access) {
  const std::string temporary = path + ".new." + std::to_string(::getpid());
  const mode_t mode = access == FileAccess::owner_only ? 0600 : 0644;
  ::unlink(temporary.c_str());
  kj::AutoCloseFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (fd == nullptr) return system_error("create", temporary, errno);
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t count = ::write(fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = errno;
      ::unlink(temporary.c_str());
      return system_error("write", temporary, error);
    }
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::fsync(fd) != 0 || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return system_error("move into place", path, error);
  }
  return {};
}

Result<std::string> read_file(const std::string& path, FileAccess access) {
  kj::AutoCloseFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd == nullptr) return system_error("open", path, errno);
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_error("look at", path, errno);
  if (access == FileAccess::owner_only && (status.st_mode & 077) != 0) {
    return Error{ErrorCode::permission_denied,
                 path + " holds a secret but others may read it; run: chmod 600 " + path};
  }
  std::string content(kFileBytesMax + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count = ::read(fd, content.data() + size, content.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_error("read", path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kFileBytesMax) return invalid(path + " is longer than 64 KiB");
  content.resize(size);
  return content;
}

}  // namespace penstock::net
