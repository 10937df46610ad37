#pragma once

#include <stdlib.h>
#include <filesystem>

#include <string>

namespace penstock::net::test {

/// A new directory that goes with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "penstock-net-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) root_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }

 private:
  std::string root_;
};

}  // namespace penstock::net::test
