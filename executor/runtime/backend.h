#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "executor/compiler/executable.h"
#include "executor/compiler/target.h"

namespace penstock::runtime {

/// A tensor as one launch sees it: true extents and strides in elements.
struct TensorView {
  static constexpr int kMaxRank = 8;
  std::byte* data = nullptr;
  program::DType dtype = program::DType::f32;
  int rank = 0;
  std::array<std::int64_t, kMaxRank> extents{};
  std::array<std::int64_t, kMaxRank> strides{};

  std::int64_t elements() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= extents[static_cast<std::size_t>(i)];
    return n;
  }
  /// The bytes of a dense tensor.
  std::span<std::byte> bytes() const {
    return {data, static_cast<std::size_t>(elements() * program::size_of(dtype))};
  }
};

/// One launch, with everything resolved.
struct Launch {
  const compiler::Instruction* instruction = nullptr;
  std::span<const TensorView> inputs;
  std::span<const TensorView> outputs;
  std::span<std::byte> scratch;
  std::int64_t batch_size = 0;  // true global rows of the call
};

/// The whole contract with a kind of device. One object per device; compute launches come from one
/// thread, in stream order.
class Backend : public compiler::Target {
 public:
  virtual std::string_view kind() const = 0;  // "cpu", "null"

  /// Makes the arena. Called once.
  /// Errors: resource_exhausted with both sizes when it does not fit the device's declared memory.
  virtual Status allocate(std::int64_t bytes) = 0;
  /// Start of the arena where the host can address it; collectives and copies use it.
  virtual std::byte* arena() = 0;
  /// Runs one kernel or claimed region. CPU devices finish it before returning.
  virtual Status launch(const Launch& launch) = 0;
};

}  // namespace penstock::runtime
