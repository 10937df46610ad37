#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "sdk/src/formats/mapped_file.h"

namespace penstock::testing {

/// A folder that is gone at the end of the test.
struct WeightsFolder {
  std::string path;
  WeightsFolder() {
    std::string name = "/tmp/penstock-weights-XXXXXX";
    path = mkdtemp(name.data());
  }
  WeightsFolder(const WeightsFolder&) = delete;
  WeightsFolder& operator=(const WeightsFolder&) = delete;
  ~WeightsFolder() { std::filesystem::remove_all(path); }
};

inline std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string test_data(const std::string& name) {
  return std::string(PENSTOCK_TEST_DATA) + "/" + name;
}

/// Bytes in memory as if a file had them.
inline weights::FileBytes in_memory(const std::string& bytes, const std::string& path = "test") {
  auto copy = std::make_shared<const std::string>(bytes);
  const auto* first = reinterpret_cast<const std::byte*>(copy->data());
  return {path, {first, copy->size()}, {copy, first}};
}

/// A safetensors file by hand: header, then data.
inline std::string safetensors_bytes(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + data;
}

}  // namespace penstock::testing
