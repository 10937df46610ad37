#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "executor/collectives/transport.h"

namespace penstock::collectives {

/// Which process a rank is, so that its peers on the same host can watch it.
struct ProcessIdentity {
  std::string boot_id;              // of the host's running kernel
  std::uint64_t pid_namespace = 0;  // pids mean something only inside it
  std::uint64_t pid = 0;
  bool operator==(const ProcessIdentity&) const = default;
};

/// This process, from /proc. Errors: unavailable when /proc cannot be read
Result<ProcessIdentity> this_process();

/// What a rank publishes: its process and its transport's own address.
struct PeerAddress {
  ProcessIdentity process;
  std::string transport;
  bool operator==(const PeerAddress&) const = default;
};

std::string encode(const PeerAddress& address);
/// Errors: invalid_argument for bytes that no rank of this version publishes
Result<PeerAddress> decode_peer_address(std::string_view bytes);

/// The first message on every connection. It keeps a process of another lease, or of a fenced
/// epoch, out of a mesh: the fabric itself knows no identities.
struct Hello {
  std::uint64_t magic = 0x31564b4f54534e50;  // "PNSTOKV1"
  LeaseId lease;
  Epoch epoch;
  std::uint64_t rank = 0;
  std::uint64_t size = 0;
};

/// Errors: permission_denied naming both leases and epochs, or both ranks and sizes;
///         failed_precondition for another version
Status check_hello(const Hello& mine, const Hello& theirs, Rank expected);

}  // namespace penstock::collectives
