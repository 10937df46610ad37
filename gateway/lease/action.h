#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "gateway/lease/lease.h"

/// What the control plane asks the shell to do. Values only, in the order in which to do them.
namespace penstock::gateway {

/// Write `record` to the store. Persisting may lag behind the other actions, with two exceptions:
/// a created account or credential and a counted usage report are acknowledged once durable.
struct Persist {
  Record record;
  bool operator==(const Persist&) const = default;
};

struct AccountCreated {
  AccountId account{};
  bool operator==(const AccountCreated&) const = default;
};

struct CredentialCreated {
  KeyId key;
  bool operator==(const CredentialCreated&) const = default;
};

/// Close what logged in with it.
struct CredentialRevoked {
  KeyId key;
  bool operator==(const CredentialRevoked&) const = default;
};

struct ExecutorJoined {
  ExecutorId executor;
  std::string name;
  bool operator==(const ExecutorJoined&) const = default;
};

/// Close the executor's connection; it is out of the pool.
struct DropExecutor {
  ExecutorId executor;
  Error why;
  bool operator==(const DropExecutor&) const = default;
};

/// The request has its devices; LeaseReady or LeaseEnded follows once the workers are up or not.
struct RequestGranted {
  RequestId request;
  Lease lease;
  bool operator==(const RequestGranted&) const = default;
};

/// The request waits; RequestGranted or RequestRefused follows within its max_wait.
struct RequestQueued {
  RequestId request;
  std::uint32_t position = 0;  // 1 is next
  std::string reason;
  bool operator==(const RequestQueued&) const = default;
};

struct RequestRefused {
  RequestId request;
  Error error;
  bool operator==(const RequestRefused&) const = default;
};

/// One worker: rank `rank` of the lease on device `device` of the executor.
struct RankPlacement {
  std::uint32_t rank = 0;
  std::uint32_t device = 0;
  bool operator==(const RankPlacement&) const = default;
};

struct StartOnExecutor {
  ExecutorId executor;
  LeaseId lease;
  Epoch epoch;
  AccountId account{};
  std::uint32_t world_size = 0;
  std::vector<RankPlacement> ranks;
  bool operator==(const StartOnExecutor&) const = default;
};

/// Kill the lease's workers, refuse whatever carries this epoch, and report DevicesFreed.
/// Repeated until that comes.
struct StopOnExecutor {
  ExecutorId executor;
  LeaseId lease;
  Epoch epoch;
  bool operator==(const StopOnExecutor&) const = default;
};

/// Every executor of the lease has started: the client may use it.
struct LeaseReady {
  LeaseId lease;
  Epoch epoch;
  Instant expires_at{};
  bool operator==(const LeaseReady&) const = default;
};

struct LeaseRenewed {
  LeaseId lease;
  Epoch epoch;
  Instant expires_at{};
  bool operator==(const LeaseRenewed&) const = default;
};

/// The lease is over for its client. Its devices come back as executors confirm.
struct LeaseEnded {
  LeaseId lease;
  Epoch epoch;
  AccountId account{};
  EndReason reason = EndReason::none;
  Error error;  // what to tell the client
  bool operator==(const LeaseEnded&) const = default;
};

/// All devices of an ended lease are free; its bill is final.
struct LeaseClosed {
  LeaseId lease;
  Epoch epoch;
  bool operator==(const LeaseClosed&) const = default;
};

struct UsageCounted {
  LeaseId lease;
  std::uint64_t sequence = 0;
  Money charged;  // by this report; 0 if it had been counted before
  Money total;    // by the lease so far
  bool operator==(const UsageCounted&) const = default;
};

using Action =
    std::variant<Persist, AccountCreated, CredentialCreated, CredentialRevoked, ExecutorJoined,
                 DropExecutor, RequestGranted, RequestQueued, RequestRefused, StartOnExecutor,
                 StopOnExecutor, LeaseReady, LeaseRenewed, LeaseEnded, LeaseClosed, UsageCounted>;

/// The answer to one command. A refused command has changed nothing by itself; `list` may still
/// hold what the passing of time led to.
struct Actions {
  std::optional<Error> refused;
  std::vector<Action> list;
  bool operator==(const Actions&) const = default;
};

/// One line for the log: `start executor 2 lease 7 epoch 9 ranks 0..3`.
std::string describe(const Action& action);
std::string describe(const Record& record);

}  // namespace penstock::gateway
