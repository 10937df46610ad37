#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/ids.h"
#include "executor/collectives/transport.h"

namespace penstock::collectives {

struct UcxOptions {
  Rank rank = 0;
  Rank size = 1;
  LeaseId lease = {};
  Epoch epoch = {};
  /// Which of UCX's transports may be used. The default is shared memory and single-copy inside a
  /// host, TCP between hosts.
  std::string transports = "posix,cma,tcp,self";
  std::string net_devices = "all";
  /// From which size a message waits for its receive ("inf": never), as UCX spells sizes. Empty
  /// chooses: 64 KiB with shared memory, where below that two copies beat a hand-over; `inf` where
  /// only TCP is allowed, since rendezvous halves its rate there.
  std::string rendezvous_from = {};
  /// How long a wait looks before it sleeps. Ranks share cores: longer steals time from the one
  /// that is waited for, shorter pays for a wake-up (tens of microseconds) more often.
  Nanoseconds spin = 30us;
  /// The size of the message that connects and warms each pair; the largest chunk that is sent.
  std::uint64_t warm_bytes = 256 * kKiB;
};

/// UCX tag matching between the processes of a lease.
///
/// A peer's death is learnt from three sides: its process's own descriptor when it is on this host
/// (milliseconds), UCX's keep-alive when it is on another, and the supervisor's `mark_failed`.
///
/// Open it only in a process that will not fork afterwards.
class UcxTransport : public Transport {
 public:
  /// Finds the transports; takes 10 to 20 ms. The clock must outlive the transport.
  /// Errors: invalid_argument for options that UCX refuses or a rank outside the mesh;
  ///         unavailable when no transport is found
  static Result<std::unique_ptr<UcxTransport>> open(UcxOptions options, const Clock& clock);

  /// What every peer's `connect` needs, opaque bytes (some hundred).
  virtual const std::string& address() const = 0;

  /// Connects to every peer, checks that each carries the same lease and epoch, and sends the
  /// largest message both ways, so that nothing has to be set up later. `addresses[r]` is rank r's.
  /// Errors: permission_denied naming both leases and epochs; deadline_exceeded naming the ranks
  ///         that are missing; invalid_argument for a broken address
  virtual Status connect(std::span<const std::string> addresses, Instant deadline) = 0;

  /// Tells the peers that this rank leaves on purpose and waits until they can read everything it
  /// has sent. Without it, the end of this process counts as a failure.
  virtual Status close(Instant deadline) = 0;
};

}  // namespace penstock::collectives
