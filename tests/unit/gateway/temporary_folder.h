#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace penstock::gateway {

/// A folder of its own that goes with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const std::string base = std::filesystem::temp_directory_path() / "penstock_store_XXXXXX";
    path_ = base;
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace penstock::gateway
