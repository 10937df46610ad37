#pragma once

#include <memory>

#include "base/clock.h"
#include "executor/collectives/algorithm.h"
#include "executor/collectives/communicator.h"

namespace penstock::collectives {

struct CommunicatorOptions {
  /// What is sent at a time; a multiple of 64. Smaller chunks overlap better, larger ones hand
  /// over less often.
  std::size_t chunk_bytes = 256 * kKiB;
  /// How many chunks of an operation may be on their way to a peer that has not posted for them:
  /// an unready peer holds at most window * chunk_bytes per stream.
  std::uint32_t window = 4;
  /// Told of every chunk that arrives, on the owner's thread, inside `progress`.
  ChunkObserver observer = {};
};

/// The `Communicator` of processes without NCCL: our algorithms over a transport. Both references
/// must outlive it.
/// Errors: invalid_argument when the options are out of range
Result<std::unique_ptr<Communicator>> make_communicator(Transport& transport, const Clock& clock,
                                                        CommunicatorOptions options = {});

}  // namespace penstock::collectives
