#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/result.h"
#include "executor/runtime/cpu/convolution_shape.h"

namespace penstock::runtime::cpu {

/// oneDNN's f32 convolutions on channels-last images, one per shape, kept for reuse (at most
/// kMaxCached). Measured on AVX-512: channels-last images beat oneDNN's blocked layout as soon as
/// the reorders to and from it count, so only the filter is reordered, inside the scratch.
/// Threads: one
class Convolutions {
 public:
  static constexpr std::size_t kMaxCached = 256;

  Convolutions();
  ~Convolutions();
  Convolutions(const Convolutions&) = delete;
  Convolutions& operator=(const Convolutions&) = delete;

  /// Scratch bytes, or 0 where oneDNN has no fast implementation of the shape.
  std::int64_t scratch(const ConvolutionShape& shape);
  /// Computes if it has an implementation that fits into the scratch; returns whether it did.
  /// Precondition: no side is 0.
  bool run(const ConvolutionShape& shape, const ConvolutionData<float>& data,
           std::span<std::byte> scratch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace penstock::runtime::cpu
