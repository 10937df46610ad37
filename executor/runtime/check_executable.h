#pragma once

#include <cstdint>

#include "base/result.h"
#include "executor/compiler/executable.h"

namespace penstock::runtime {

struct CheckOptions {
  std::int64_t rank = 0;
  bool has_collectives = false;
};

/// What the runner relies on and cannot see while it runs: offsets inside the arena and aligned,
/// event numbers in range, even splits of static dimensions, collectives that it can carry out.
/// Errors: invalid_argument or unimplemented, naming entry and instruction.
Status check_executable(const compiler::Executable& executable, const CheckOptions& options);

}  // namespace penstock::runtime
