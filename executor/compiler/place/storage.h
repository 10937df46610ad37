#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "executor/compiler/place/placed_program.h"
#include "executor/compiler/schedule/schedule.h"

namespace penstock::compiler {

/// Bytes rounded up to whole 64-byte lines; nothing takes none.
std::int64_t aligned(std::int64_t bytes);

/// Which buffer holds each value, before buffers have offsets.
struct Storage {
  static constexpr int kNone = -1;

  struct Slot {
    int buffer = kNone;       // index into buffers
    int variable = kNone;     // or a variable's place
    std::int64_t offset = 0;  // within it
  };

  std::vector<Slot> slots;      // by root value
  std::vector<Buffer> buffers;  // without offsets
  std::vector<bool> whole;      // by root value: it holds all micro-batches of the call
};

/// Adds to the schedule the copies that are needed (a variable or output whose bytes are somebody
/// else's too, an operand of a sum in place that has other readers), then decides what shares a
/// buffer and for how long:
///  - a written variable takes its new value in place if nobody reads the old one later
///  - the members of a bucket lie side by side, and are summed in place
///  - a map writes over an operand that nobody needs afterwards
/// Buffers that a micro-batch uses again live as long as the loop.
Storage assign_storage(Schedule& schedule, const program::Mesh& mesh);

}  // namespace penstock::compiler
