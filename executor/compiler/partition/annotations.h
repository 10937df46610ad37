#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// What a plan says of the sources of a program. What it does not name is replicated, and so is
/// everything over an axis of size 1.
struct SourceShardings {
  std::vector<program::Sharding> variables;                                 // by index
  std::map<std::pair<std::string, std::string>, program::Sharding> inputs;  // by entry and name

  const program::Sharding& of(const program::Entry& entry, const program::ValueInfo& source) const;
};

/// Checks the plan against the program.
/// Errors: invalid_argument for an unknown name, a dimension that is not there or that the axis
/// does
///         not divide, a partial source, a variable cut over time; unimplemented for two time axes
Result<SourceShardings> read_annotations(const program::Program& program,
                                         const program::Plan& plan);

}  // namespace penstock::compiler
