#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "gateway/meter/ledger.h"
#include "gateway/meter/price_table.h"

/// What the gateway keeps on disk: values only, written by the control plane's Persist actions and
/// read back at the next start. An Instant of 0 means "not".
namespace penstock::gateway {

struct AccountRecord {
  AccountId id;
  std::string name;
  Instant created_at{};
  Instant revoked_at{};
  bool operator==(const AccountRecord&) const = default;
};

enum class CredentialKind { api_key, join_token };

/// How often a join token may bring in a new executor. API keys are `many`.
enum class CredentialUse { many, once };

/// An API key or a join token. The secret itself is nowhere: `hash` is salted (gateway/auth).
struct CredentialRecord {
  KeyId id;
  CredentialKind kind = CredentialKind::api_key;
  CredentialUse use = CredentialUse::many;
  AccountId account{};  // of an API key
  std::string label;
  std::string hash;
  Instant created_at{};
  Instant expires_at{};
  Instant revoked_at{};
  std::string used_by{};  // of a `once` token: the certificate fingerprint that used it
  bool operator==(const CredentialRecord&) const = default;
};

/// An executor by its certificate, as it last joined.
struct ExecutorRecord {
  std::string fingerprint;  // SHA-256 of its certificate, 64 lower-case hex digits
  std::string name;
  ExecutorId id;  // a new one at every connection
  Instant joined_at{};
  bool operator==(const ExecutorRecord&) const = default;
};

enum class EndReason {
  none,  // it has not ended
  released,
  expired,
  client_lost,
  executor_lost,
  start_failed,
  worker_failed,
  account_revoked,
  gateway_restarted,
};

struct LeaseRecord {
  LeaseId id;
  Epoch epoch;
  AccountId account{};
  std::string device_class;
  std::uint32_t device_count = 0;
  Price price;
  Instant granted_at{};
  Instant ended_at{};
  EndReason reason = EndReason::none;
  bool operator==(const LeaseRecord&) const = default;
};

/// What was used: sums of reports. None is negative.
struct Usage {
  std::int64_t device_nanoseconds = 0;
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t steps = 0;
  bool operator==(const Usage&) const = default;
};

/// One lease's use on one day (days since 1970, UTC), with what was charged for it. Written again,
/// larger, as reports come in.
struct UsageRecord {
  LeaseId lease;
  AccountId account{};
  std::int32_t day = 0;
  Usage usage{};
  Money amount{};
  std::uint64_t sequence_floor = 0;  // every report up to this one is counted
  bool operator==(const UsageRecord&) const = default;
};

/// Numbers below these may have been given out: the next start begins at them.
struct CountersRecord {
  LeaseId leases_until;
  Epoch epochs_until;
  ExecutorId executors_until;
  bool operator==(const CountersRecord&) const = default;
};

using Record = std::variant<AccountRecord, CredentialRecord, ExecutorRecord, LeaseRecord,
                            UsageRecord, LedgerEntry, CountersRecord>;

/// One account's use on one day.
struct DayUsage {
  AccountId account{};
  std::int32_t day = 0;
  Usage usage{};
  Money amount{};
  bool operator==(const DayUsage&) const = default;
};

/// What a start finds on disk. `leases` and `usage` hold the newest leases (see Store::load);
/// `days` and `ledger` sum over everything.
struct StoredState {
  std::vector<AccountRecord> accounts;
  std::vector<CredentialRecord> credentials;
  std::vector<ExecutorRecord> executors;
  std::vector<LeaseRecord> leases;
  std::vector<UsageRecord> usage;
  std::vector<DayUsage> days;
  LedgerState ledger;
  CountersRecord counters;
  bool operator==(const StoredState&) const = default;
};

}  // namespace penstock::gateway
