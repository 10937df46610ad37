#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "penstock/tensor.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// An element type as a file has it, and the type that it becomes here: the same bytes, or a wider
/// integer that holds every value.
struct StoredType {
  std::string_view name;   // in safetensors
  std::string_view descr;  // in numpy; empty: none
  std::int64_t bytes;
  DType dtype;
  bool is_signed;  // of one that is widened
};

/// Nothing for a type that is not read.
const StoredType* stored_type_of_safetensors(std::string_view name);
const StoredType* stored_type_of_numpy(std::string_view descr);
const StoredType& stored_type_of(DType dtype);
/// "F32, F16, .."
std::string stored_type_names();

/// A tensor of `bytes`, which lie in `file`: shared where type and alignment allow, else copied.
/// Errors: data_loss for a bool that is neither 0 nor 1
Result<Tensor> tensor_in(const FileBytes& file, const StoredType& type, Extents shape,
                         std::span<const std::byte> bytes);

/// Elements of `shape`, all extents of which are 0 or more. Errors: data_loss beyond 2^62
Result<std::int64_t> count_elements(const Extents& shape);

}  // namespace penstock::weights
