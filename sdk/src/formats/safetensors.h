#pragma once

#include "penstock/weights.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::weights {

/// The tensors of a safetensors file that is in memory. Errors: as read_safetensors
Result<Weights> parse_safetensors(const FileBytes& file);

/// The shard of each tensor, as an index file's text says.
/// Errors: data_loss; invalid_argument for a shard that is not a plain file name
Result<std::map<std::string, std::string>> parse_shard_index(std::string_view text,
                                                             std::string_view place);

}  // namespace penstock::weights
