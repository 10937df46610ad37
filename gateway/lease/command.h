#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "gateway/lease/lease.h"

/// What the outside tells the control plane. Values only.
namespace penstock::gateway {

struct CreateAccount {
  std::string name;
  bool operator==(const CreateAccount&) const = default;
};

/// Ends the account's leases, requests and keys.
struct RevokeAccount {
  AccountId account{};
  bool operator==(const RevokeAccount&) const = default;
};

/// An API key (of `account`) or a join token (of the pool); gateway/auth makes the hash.
struct CreateCredential {
  CredentialKind kind = CredentialKind::api_key;
  CredentialUse use = CredentialUse::many;
  AccountId account{};
  std::string label;
  std::string hash;
  Instant expires_at{};  // 0: never
  bool operator==(const CreateCredential&) const = default;
};

struct RevokeCredential {
  KeyId key;
  bool operator==(const RevokeCredential&) const = default;
};

/// An executor dialled in with a token that gateway/auth has verified. It holds no worker of an
/// earlier connection: whatever it ran before is dead. Every connection gets its own ExecutorId,
/// so that late words about an earlier one cannot hit this one.
struct RegisterExecutor {
  std::string name;
  std::string fingerprint;
  KeyId join_token;
  std::vector<DeviceSpec> devices;
  bool operator==(const RegisterExecutor&) const = default;
};

struct Heartbeat {
  ExecutorId executor;
  bool operator==(const Heartbeat&) const = default;
};

/// Its connection broke.
struct ExecutorLost {
  ExecutorId executor;
  std::string why;
  bool operator==(const ExecutorLost&) const = default;
};

/// `request` is chosen by the shell; answered by RequestGranted, RequestQueued or RequestRefused.
struct RequestLease {
  RequestId request;
  AccountId account{};
  LeaseTerms terms;
  bool operator==(const RequestLease&) const = default;
};

/// The client no longer waits. Nothing is answered to the request.
struct CancelRequest {
  RequestId request;
  bool operator==(const CancelRequest&) const = default;
};

/// The client lives: the lease expires one expiry_period from now.
struct RenewLease {
  LeaseId lease;
  Epoch epoch;
  bool operator==(const RenewLease&) const = default;
};

struct ReleaseLease {
  LeaseId lease;
  Epoch epoch;
  bool operator==(const ReleaseLease&) const = default;
};

/// The client's connection broke: the lease ends after its reconnect_grace unless renewed.
struct ClientLost {
  LeaseId lease;
  Epoch epoch;
  bool operator==(const ClientLost&) const = default;
};

/// `executor` has all its workers of the lease up.
struct LeaseStarted {
  ExecutorId executor;
  LeaseId lease;
  Epoch epoch;
  bool operator==(const LeaseStarted&) const = default;
};

/// `executor` could not start its workers, or one died.
struct LeaseFailed {
  ExecutorId executor;
  LeaseId lease;
  Epoch epoch;
  Error error;
  bool operator==(const LeaseFailed&) const = default;
};

/// `executor` has no process of the lease any more: all its devices of the lease are free.
struct DevicesFreed {
  ExecutorId executor;
  LeaseId lease;
  Epoch epoch;
  bool operator==(const DevicesFreed&) const = default;
};

/// What the lease used since the previous report. Only this is ever billed.
struct ReportUsage {
  LeaseId lease;
  Epoch epoch;
  std::uint64_t sequence = 0;  // 1, 2, 3, ... within the lease; a repeated one counts once
  Usage usage{};
  bool operator==(const ReportUsage&) const = default;
};

/// Time passed. Any other command lets it pass as well.
struct Tick {
  bool operator==(const Tick&) const = default;
};

using Command =
    std::variant<CreateAccount, RevokeAccount, CreateCredential, RevokeCredential, RegisterExecutor,
                 Heartbeat, ExecutorLost, RequestLease, CancelRequest, RenewLease, ReleaseLease,
                 ClientLost, LeaseStarted, LeaseFailed, DevicesFreed, ReportUsage, Tick>;

}  // namespace penstock::gateway
