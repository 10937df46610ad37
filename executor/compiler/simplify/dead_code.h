#pragma once

#include "schema/program/program.h"

namespace penstock::compiler {

/// Drops the nodes and variable reads that no output and no write needs, and renumbers the values.
/// Inputs stay: they are the entry's signature.
program::Entry without_dead_code(const program::Entry& entry);

}  // namespace penstock::compiler
