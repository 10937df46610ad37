#include "base/net/process_image.h"

#include <errno.h>
#include <fcntl.h>
#include <kj/io.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace penstock::net {

namespace {

constexpr int kFirstFree = 3;
constexpr int kChildFdMax = 1000;

struct FileActions {
  FileActions() { posix_spawn_file_actions_init(&native); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { posix_spawn_file_actions_destroy(&native); }
  posix_spawn_file_actions_t native;
};

struct Attributes {
  Attributes() { posix_spawnattr_init(&native); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { posix_spawnattr_destroy(&native); }
  posix_spawnattr_t native;
};

Status check(const ChildOptions& options) {
  if (options.arguments.empty() || options.arguments[0].empty()) {
    return invalid("spawn: no program is named");
  }
  for (const auto& descriptor : options.descriptors) {
    if (descriptor.ours < 0 || descriptor.childs < kFirstFree || descriptor.childs > kChildFdMax) {
      return invalid("spawn " + options.arguments[0] + ": descriptor " +
                     std::to_string(descriptor.ours) + " as " + std::to_string(descriptor.childs) +
                     ": ours must be open, the child's from 3 to 1000");
    }
  }
  return {};
}

void add_output(posix_spawn_file_actions_t& actions, int fd, const std::string& path) {
  if (path.empty()) return;
  posix_spawn_file_actions_addopen(&actions, fd, path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
}

/// Maps the descriptors. They are first copied out of the way, since one's number here may be
/// another's number there.
Status add_descriptors(posix_spawn_file_actions_t& actions, const ChildOptions& options,
                       std::vector<kj::AutoCloseFd>& copies) {
  int highest = kFirstFree - 1;
  for (const auto& descriptor : options.descriptors) {
    highest = std::max(highest, descriptor.childs);
  }
  std::vector<bool> used(static_cast<std::size_t>(highest) + 1, false);
  for (const auto& descriptor : options.descriptors) {
    if (used[static_cast<std::size_t>(descriptor.childs)]) {
      return invalid("spawn: two descriptors want the number " + std::to_string(descriptor.childs));
    }
    used[static_cast<std::size_t>(descriptor.childs)] = true;
    kj::AutoCloseFd copy(::fcntl(descriptor.ours, F_DUPFD_CLOEXEC, highest + 1));
    if (copy == nullptr) {
      return Error{
          ErrorCode::invalid_argument,
          "spawn: descriptor " + std::to_string(descriptor.ours) + ": " + strerrordesc_np(errno)};
    }
    posix_spawn_file_actions_adddup2(&actions, copy, descriptor.childs);
    copies.push_back(kj::mv(copy));
  }
  for (int fd = kFirstFree; fd <= highest; ++fd) {
    if (!used[static_cast<std::size_t>(fd)]) posix_spawn_file_actions_addclose(&actions, fd);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, highest + 1);
  return {};
}

void set_attributes(posix_spawnattr_t& attributes) {
  sigset_t none;
  sigset_t all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);  // an ignored SIGPIPE would be inherited
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/// Our environment with the child's own settings on top, as "name=value".
std::vector<std::string> environment_of(const ChildOptions& options) {
  std::vector<std::string> result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::any_of(options.environment.begin(), options.environment.end(),
                    [name](const auto& setting) { return setting.first == name; });
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& setting : options.environment) {
    result.push_back(setting.first + "=" + setting.second);
  }
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<pid_t> start_process(const ChildOptions& options) {
  PENSTOCK_TRY(check(options));
  FileActions actions;
  Attributes attributes;
  std::vector<kj::AutoCloseFd> copies;
  set_attributes(attributes.native);
  posix_spawn_file_actions_addopen(&actions.native, 0, "/dev/null", O_RDONLY, 0);
  add_output(actions.native, 1, options.stdout_path);
  if (!options.stderr_path.empty() && options.stderr_path == options.stdout_path) {
    posix_spawn_file_actions_adddup2(&actions.native, 1, 2);
  } else {
    add_output(actions.native, 2, options.stderr_path);
  }
  PENSTOCK_TRY(add_descriptors(actions.native, options, copies));
  if (!options.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions.native, options.directory.c_str());
  }
  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> environment = environment_of(options);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0].c_str(), &actions.native, &attributes.native,
                                   pointers_to(arguments).data(), pointers_to(environment).data());
  if (error == 0) return pid;
  const ErrorCode code = error == ENOENT                      ? ErrorCode::not_found
                         : error == EACCES                    ? ErrorCode::permission_denied
                         : error == EAGAIN || error == ENOMEM ? ErrorCode::resource_exhausted
                                                              : ErrorCode::internal;
  return Error{code, "spawn " + options.arguments[0] +
                         (options.directory.empty() ? "" : " in " + options.directory) + ": " +
                         strerrordesc_np(error)};
}

}  // namespace penstock::net
