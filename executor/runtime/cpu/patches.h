#pragma once

#include <cstddef>
#include <span>

#include "executor/runtime/cpu/convolution_shape.h"

namespace penstock::runtime::cpu {

/// Convolution as matrix products over blocks of gathered patches. Works for every shape in any
/// scratch of at least one patch; oneDNN takes over where it is faster.
/// Source: im2col, Chellapilla et al., 2006

/// Scratch bytes that make blocks large enough for full speed.
std::int64_t patch_scratch(const ConvolutionShape& shape, std::int64_t element_bytes);

/// Errors: internal if not even one patch fits into the scratch.
Status convolve_by_patches(const ConvolutionShape& shape, const ConvolutionData<float>& data,
                           std::span<std::byte> scratch);
Status convolve_by_patches(const ConvolutionShape& shape, const ConvolutionData<double>& data,
                           std::span<std::byte> scratch);

}  // namespace penstock::runtime::cpu
