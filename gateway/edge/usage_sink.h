#pragma once

#include "base/ids.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::gateway {

class Shell;

/// Where the leader of one lease reports what was used. A report is acknowledged when it is on
/// disk; a repeated one is counted once.
wire::UsageSink::Client make_usage_sink(Shell& shell, LeaseId lease, Epoch epoch);

}  // namespace penstock::gateway
