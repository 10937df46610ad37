#pragma once

#include <cstdint>

#include "executor/runtime/cpu/windows.h"

namespace penstock::runtime::cpu {

enum class ConvolveKind : std::uint8_t { forward, input_gradient, filter_gradient };

/// One convolution: images [n,h,w,c], filter [kh,kw,c,o], results [n,oh,ow,o].
struct ConvolutionShape {
  ConvolveKind kind = ConvolveKind::forward;
  Windows windows;  // its channels are c
  std::int64_t filters = 0;
  bool operator==(const ConvolutionShape&) const = default;

  /// Output pixels of all images.
  std::int64_t pixels() const { return windows.images * windows.out_height * windows.out_width; }
  /// Elements that one output pixel looks at: kh * kw * c.
  std::int64_t patch() const {
    return windows.window_height * windows.window_width * windows.channels;
  }
  std::int64_t image_elements() const {
    return windows.images * windows.height * windows.width * windows.channels;
  }
};

/// The three tensors of a convolution; the kind says which one is written.
template <class T>
struct ConvolutionData {
  T* images = nullptr;
  T* filter = nullptr;
  T* results = nullptr;
};

}  // namespace penstock::runtime::cpu
