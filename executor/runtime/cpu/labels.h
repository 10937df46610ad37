#pragma once

#include <cstdint>

#include "executor/runtime/backend.h"

namespace penstock::runtime::cpu {

/// Class numbers of any integer type, as they lie in a dense tensor.
class Labels {
 public:
  explicit Labels(const TensorView& view) : data_(view.data), dtype_(view.dtype) {}

  static bool reads(program::DType dtype) {
    return dtype == program::DType::i32 || dtype == program::DType::i64 ||
           dtype == program::DType::u8;
  }
  std::int64_t operator[](std::int64_t i) const {
    switch (dtype_) {
      case program::DType::i32:
        return reinterpret_cast<const std::int32_t*>(data_)[i];
      case program::DType::i64:
        return reinterpret_cast<const std::int64_t*>(data_)[i];
      case program::DType::u8:
        return reinterpret_cast<const std::uint8_t*>(data_)[i];
      default:
        return -1;
    }
  }

 private:
  const std::byte* data_;
  program::DType dtype_;
};

}  // namespace penstock::runtime::cpu
