#pragma once

#include <vector>

#include "executor/compiler/sharded_program.h"
#include "schema/program/op.h"

namespace penstock::compiler {

/// The entry with its nodes in this order (indices of nodes; those left out are dropped), values
/// renumbered in the order in which they are made: inputs and variables first, as they were.
/// The order must have every operand before its use (a failed check).
ShardedEntry reordered(const ShardedEntry& entry, const std::vector<std::size_t>& order);

/// What each device holds of the values.
program::Types local_types(const ShardedEntry& entry, const std::vector<ValueId>& ids);

/// Drops the nodes that no output and no write needs.
ShardedEntry without_dead_nodes(const ShardedEntry& entry);

}  // namespace penstock::compiler
