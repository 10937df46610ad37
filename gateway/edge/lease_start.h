#pragma once

#include <kj/async.h>

#include "gateway/edge/lease_run.h"

namespace penstock::gateway {

class Shell;

/// Brings up the workers of a granted lease: prepare on each executor, assign, connect, serve; then
/// tells the control plane that they have started, or which executor failed and why.
/// Timeline, N ranks:
///
///   prepare (per executor) -> assign (per rank: address) -> connect (per rank: all addresses)
///                          -> serve (rank 0: leader, direct lane)
kj::Promise<void> start_lease(Shell& shell, kj::Own<LeaseRun> run);

}  // namespace penstock::gateway
