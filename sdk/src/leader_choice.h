#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/net/rpc_client.h"
#include "penstock/lease.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::detail {

/// How long the direct lane may take to answer before the relay is used.
inline constexpr Nanoseconds kDirectPatience = 2s;

/// A leader and the way to it.
struct LeaderChoice {
  wire::Leader::Client leader;
  LaneKind kind = LaneKind::relay;
  kj::Own<net::RpcConnection> connection;  // of the direct lane; null for the relay
};

/// Where a leader listens, as values.
struct DirectDoorInfo {
  std::vector<net::Address> addresses;
  std::string fingerprint;
  std::vector<std::byte> ticket;
};
DirectDoorInfo read_direct(wire::DirectLane::Reader in);

/// The direct lane, if it is wanted and answers in time; else the relay, if that may be used.
/// Errors (broken promise): unavailable if the direct lane is insisted on and does not answer
net::Task<LeaderChoice> choose_leader(net::EventLoop& loop, wire::Lease::Client lease,
                                      DirectDoorInfo direct, net::Identity identity,
                                      LaneKind wanted);

}  // namespace penstock::detail
