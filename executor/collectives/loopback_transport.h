#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "executor/collectives/transport.h"

namespace penstock::collectives {

/// When a loopback send is finished: at once, its bytes copied aside; or, as with rendezvous on a
/// real network, only when the receive has taken them. What runs under `rendezvous` relies on no
/// buffering anywhere.
enum class SendMode { buffered, rendezvous };

struct LoopbackOptions {
  Rank ranks = 1;
  SendMode mode = SendMode::buffered;
  /// The speed of each rank's outgoing link; 0 is unlimited. Bytes are held back until the clock
  /// says that they would have arrived, so that communication takes time as on a network.
  double bytes_per_second = 0;
  Nanoseconds latency = Nanoseconds(0);
};

/// The ranks of one mesh inside one process, one thread each.
/// Threads: `at(r)` is owned by rank r's thread; the counters may be read from any thread.
class LoopbackNetwork {
 public:
  /// The clock must outlive the network.
  static std::unique_ptr<LoopbackNetwork> create(LoopbackOptions options, const Clock& clock);
  virtual ~LoopbackNetwork() = default;

  virtual Transport& at(Rank rank) = 0;

  /// The most bytes that ever lay at `rank` without a receive posted for them.
  virtual std::uint64_t unposted_bytes_max(Rank rank) const = 0;
};

}  // namespace penstock::collectives
