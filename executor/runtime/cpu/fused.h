#pragma once

#include "base/result.h"
#include "executor/compiler/executable.h"
#include "executor/runtime/backend.h"

namespace penstock::runtime::cpu {

/// Runs the maps of a fused call tile by tile: what a map makes for the others stays in the cache.
/// An output may be the same block as an input that is not broadcast.
Status run_fused(const compiler::FusedCall& call, int threads, const Launch& launch);

}  // namespace penstock::runtime::cpu
