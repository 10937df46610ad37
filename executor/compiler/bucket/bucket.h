#pragma once

#include "executor/compiler/sharded_program.h"

namespace penstock::compiler {

/// Groups all_reduces of one axis, element type and phase, in the order in which their operands are
/// made, into buckets of up to `plan.bucket_bytes` (the first a quarter of it, so that
/// communication starts early), and moves each bucket to just behind its last operand. Compute
/// nodes keep their order, except those that wait for a bucket which is not complete yet: they go
/// to the end. Threads: pure Source: Li et al., PyTorch Distributed, arXiv:2006.15704
ShardedProgram bucket(ShardedProgram program);

}  // namespace penstock::compiler
