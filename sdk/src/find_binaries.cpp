#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sdk/src/pool_processes.h"

namespace penstock::detail {
namespace {

std::string own_folder() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  if (size <= 0) return "";
  const std::string whole(path.data(), static_cast<std::size_t>(size));
  return whole.substr(0, whole.rfind('/'));
}

bool holds_programs(const std::string& folder) {
  for (const char* program : {"penstock-gateway", "penstock-agent", "penstock-worker"})
    if (access((folder + "/" + program).c_str(), X_OK) != 0) return false;
  return true;
}

}  // namespace

Result<std::string> find_binaries(const std::string& chosen) {
  std::vector<std::string> folders;
  const char* variable = std::getenv("PENSTOCK_BIN_DIR");
  if (!chosen.empty()) {
    folders = {chosen};
  } else if (variable != nullptr && *variable != '\0') {
    folders = {variable};
  } else {
    const std::string own = own_folder();
    if (!own.empty()) folders = {own, own + "/../bin"};
    folders.push_back(PENSTOCK_INSTALL_BIN_DIR);
    if (const char* path = std::getenv("PATH"))
      for (std::string_view rest = path; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) folders.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
  }
  std::string looked;
  for (const std::string& folder : folders) {
    if (holds_programs(folder)) return folder;
    looked += (looked.empty() ? "" : ", ") + folder;
  }
  return Error{ErrorCode::not_found,
               "penstock-gateway, penstock-agent and penstock-worker are not together in " +
                   looked + "; set PENSTOCK_BIN_DIR to their folder, or have it in PATH"};
}

}  // namespace penstock::detail
