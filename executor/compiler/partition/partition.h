#pragma once

#include "base/result.h"
#include "executor/compiler/sharded_program.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// Spreads a program over the plan's mesh: the one partitioner for every kind of parallelism. Each
/// node's layout follows from its op's sharding rule and the layouts of its operands; collectives
/// are inserted where they differ. Outputs stay as they fall but for partial sums, which are
/// completed; written variables keep their layout.
/// Errors: invalid_argument for a plan that does not fit the program; unimplemented naming the op
///         that a plan cannot run
/// Source: GSPMD, arXiv:2105.04663
Result<ShardedProgram> partition(const program::Program& program, const program::Plan& plan);

/// Whether local types are what the ops infer on them, partial sums go only where they may, sources
/// and writes have the layout of their variable, and outputs are whole or cut. Every rank has the
/// same collectives in the same order by construction: there is one program.
/// Errors: internal, naming entry and value
Status verify(const ShardedProgram& program);

}  // namespace penstock::compiler
