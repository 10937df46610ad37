#pragma once

#include "gateway/edge/lease_run.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::gateway {

class Shell;

/// The capability of one lease. Dropping it without `release` is a lost client: the lease ends
/// after its grace.
wire::Lease::Client make_lease_service(Shell& shell, kj::Own<LeaseRun> run);

/// Fills in what the client learns of its lease, a fresh ticket for the direct lane included.
void fill_lease_info(wire::LeaseInfo::Builder out, Shell& shell, const LeaseRun& run);

}  // namespace penstock::gateway
