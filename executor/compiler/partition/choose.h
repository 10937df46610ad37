#pragma once

#include <vector>

#include "base/result.h"
#include "executor/compiler/partition/layouts.h"
#include "executor/compiler/partition/propagate.h"
#include "schema/program/program.h"
#include "schema/program/sharding_rule.h"

namespace penstock::compiler {

/// How one node is run: the layout it needs of each operand, and the layouts of its results.
struct NodeLayout {
  std::vector<program::Sharding> operands;
  std::vector<program::Sharding> results;
};

/// Chooses, axis by axis, the cheapest of
///   a factor that is cut: operands and results that carry it are cut, results that lack it become
///                         partial sums
///   partial:              a partial sum passes through a linear op
///   whole:                everything replicated
/// by the bytes that have to move to bring the operands there, and the bytes of the results.
/// Errors: unimplemented, saying which axis admits none
Result<NodeLayout> choose_layout(const program::Entry& entry, const program::Node& node,
                                 const program::ShardingRule& rule, const Layouts& layouts,
                                 const Wishes& wishes, const program::Mesh& mesh);

/// Whether the rule lets values that are each rank's own pass: element by element.
bool is_pointwise(const program::ShardingRule& rule);

}  // namespace penstock::compiler
