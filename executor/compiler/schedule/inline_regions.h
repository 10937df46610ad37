#pragma once

#include "base/result.h"
#include "executor/compiler/sharded_program.h"
#include "executor/compiler/target.h"

namespace penstock::compiler {

/// Replaces every region that the target does not claim by its expansion on local types, also
/// within expansions. `labels` gets one label per node: `matmul %7`, `multiply of adamw %40`.
/// Errors: internal if an expansion fails; resource_exhausted past the limit of nodes
Result<ShardedEntry> inline_regions(const ShardedEntry& entry, const Target& target,
                                    const program::Mesh& mesh, std::vector<std::string>& labels);

}  // namespace penstock::compiler
