#pragma once

#include "schema/program/types.h"

namespace penstock {

using program::Dim;
using program::DType;
using program::Shape;
using program::TensorType;

/// The batch dimension of an input: each call brings 1 to `bound` rows, and short last batches are
/// exact.
using program::batch;

inline constexpr DType f32 = DType::f32;
inline constexpr DType f16 = DType::f16;
inline constexpr DType bf16 = DType::bf16;
inline constexpr DType f64 = DType::f64;
inline constexpr DType i8 = DType::i8;
inline constexpr DType u8 = DType::u8;
inline constexpr DType i32 = DType::i32;
inline constexpr DType i64 = DType::i64;
inline constexpr DType boolean = DType::boolean;

}  // namespace penstock
