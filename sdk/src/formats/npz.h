#pragma once

#include "penstock/weights.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// The arrays of a .npz file that is in memory. Errors: as read_npz
Result<Tensors> parse_npz(const FileBytes& file);

}  // namespace penstock::weights
