#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "penstock/attempt.h"
#include "penstock/lease.h"
#include "penstock/report.h"

namespace penstock {

namespace detail {
class ClientCore;
}

/// Which gateway to use, and as whom.
struct ConnectOptions {
  /// "penstock://host:port?fingerprint=HEX" or "unix:/path"; empty: PENSTOCK_URL. Without a
  /// fingerprint in it, PENSTOCK_FINGERPRINT_FILE or ~/.config/penstock/known_gateways must know
  /// it.
  std::string url = "";
  std::string key = "";        // API key; empty: PENSTOCK_KEY
  Nanoseconds deadline = 10s;  // of connecting and logging in
};

/// A pool of CPU devices of one's own, for a trial or a test.
struct LocalOptions {
  unsigned devices = 2;
  unsigned threads = 1;                   // per device
  std::uint64_t memory_bytes = 2 * kGiB;  // per device
  std::string trace = "";      // file for begin and end of every instruction, one per device
  std::string binaries = "";   // folder of penstock-gateway; empty: searched for
  Nanoseconds deadline = 60s;  // of starting it
};

/// One API key, without its secret.
struct KeyInfo {
  std::string id;
  std::string account;
  std::string name;
  std::int64_t created_unix_ns = 0;
  bool revoked = false;
  bool administrator = false;
};

/// A new key. The secret is shown this once.
struct NewKey {
  std::string id;
  std::string secret;
};

/// What an account used on one day.
struct UsageLine {
  std::string day;  // 2026-11-30, UTC
  std::string account;
  Usage usage;
  std::int64_t leases = 0;
};

/// One executor of the pool.
struct PoolExecutor {
  std::string name;
  std::vector<LeasedDevice> devices;
  std::uint32_t leased = 0;
  Nanoseconds last_heartbeat{};  // ago
};

/// One lease that is not over.
struct LeaseLine {
  std::uint64_t lease = 0;
  std::string account;
  std::string state;  // "starting", "active", "stopping"
  std::vector<LeasedDevice> devices;
  std::int64_t granted_unix_ns = 0;
  Usage usage;  // so far
};

/// A connection to a gateway. A background thread does the talking, so that calls overlap with the
/// application's own work. Leases that it made keep the connection alive.
/// Errors: Exception; unavailable if the gateway does not answer, unauthenticated for a wrong key
/// or certificate, failed_precondition if the versions do not fit
/// Threads: any
class Client {
 public:
  /// Connects to a gateway and logs in.
  static Client connect(ConnectOptions options = {});

  /// Starts a private gateway, agent and workers as child processes, which end with the client.
  /// Nothing of them runs in this process. The programs are looked for in `options.binaries`,
  /// PENSTOCK_BIN_DIR, beside the running program, where Penstock was installed, and in PATH.
  static Client local(LocalOptions options = {});

  /// The same without exceptions.
  static Result<Client> try_connect(ConnectOptions options = {}) {
    return attempt([&] { return connect(std::move(options)); });
  }
  static Result<Client> try_local(LocalOptions options = {}) {
    return attempt([&] { return local(std::move(options)); });
  }

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  /// Devices for this client, from now until the lease is released or dropped. Returns when they
  /// are granted.
  /// Errors: resource_exhausted if there are never enough; deadline_exceeded after max_wait
  Lease lease(LeaseOptions options = {});

  Result<Lease> try_lease(LeaseOptions options = {}) {
    return attempt([&] { return lease(options); });
  }

  const std::string& account() const;
  std::vector<UsageLine> usage(std::int64_t since_unix_ns = 0);
  /// Errors: permission_denied: another account than one's own needs an administrator's key
  NewKey create_key(const std::string& name, const std::string& account = "");
  std::vector<KeyInfo> keys();
  void revoke_key(const std::string& id);
  std::vector<PoolExecutor> pool();
  /// One's own; with an administrator's key all.
  std::vector<LeaseLine> leases();

 private:
  explicit Client(std::shared_ptr<detail::ClientCore> core);
  std::shared_ptr<detail::ClientCore> core_;  // shared with leases: the connection is theirs too
};

}  // namespace penstock
