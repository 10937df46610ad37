#pragma once

#include <string>
#include <vector>

#include "penstock/tensor.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// The array in a .npy file that is in memory. Errors: as read_npy
Result<Tensor> parse_npy(const FileBytes& file);

/// What stands before the elements in a .npy file of version 1. Errors: unimplemented for bf16
Result<std::string> npy_header(const Tensor& tensor, const std::string& path);

}  // namespace penstock::weights
