#pragma once

#include "penstock/weights.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// The tensors of a llama2.c checkpoint that is in memory. Errors: as read_llama2c
Result<Weights> parse_llama2c(const FileBytes& file);

}  // namespace penstock::weights
