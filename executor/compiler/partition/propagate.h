#pragma once

#include <vector>

#include "executor/compiler/partition/annotations.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"
#include "schema/program/sharding_rule.h"

namespace penstock::compiler {

/// For each mesh axis and value of the entry: the dimension along which it should be cut, or -1.
using Wishes = std::vector<std::vector<int>>;

/// Carries the annotations of the sources along the factors of the ops, forwards and backwards,
/// until nothing changes. Sources keep what they have. It decides what is produced cut in the first
/// place (a broadcast, say); what is moved is decided node by node.
/// Source: Shardy's factor propagation
Wishes propagate(const program::Entry& entry, const std::vector<program::ShardingRule>& rules,
                 const SourceShardings& sources, const program::Mesh& mesh);

}  // namespace penstock::compiler
