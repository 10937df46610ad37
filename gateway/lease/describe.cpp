#include <string>

#include "gateway/lease/action.h"

/// One line of text per action and record, for logs and for comparing runs.
namespace penstock::gateway {
namespace {

std::string n(std::uint64_t value) {
  return std::to_string(value);
}

template <class Tag>
std::string n(Id<Tag> id) {
  return std::to_string(id.value);
}

std::string n(Instant at) {
  return std::to_string(at.ns);
}

std::string lease_text(LeaseId lease, Epoch epoch) {
  return "lease " + n(lease) + " epoch " + n(epoch);
}

std::string error_text(const Error& error) {
  return std::string(name(error.code)) + ": " + error.message;
}

std::string usage_text(const Usage& usage) {
  return std::to_string(usage.device_nanoseconds) + " device_ns, " +
         std::to_string(usage.bytes_in) + " in, " + std::to_string(usage.bytes_out) + " out, " +
         std::to_string(usage.steps) + " steps";
}

struct RecordText {
  std::string operator()(const AccountRecord& r) const {
    return "account " + n(r.id) + " '" + r.name + "' revoked at " + n(r.revoked_at);
  }
  std::string operator()(const CredentialRecord& r) const {
    return std::string(r.kind == CredentialKind::api_key ? "api key " : "join token ") + n(r.id) +
           " '" + r.label + "' of account " + n(r.account) + " revoked at " + n(r.revoked_at) +
           " used by '" + r.used_by + "'";
  }
  std::string operator()(const ExecutorRecord& r) const {
    return "executor " + n(r.id) + " '" + r.name + "' " + r.fingerprint;
  }
  std::string operator()(const LeaseRecord& r) const {
    return lease_text(r.id, r.epoch) + " of account " + n(r.account) + ": " + n(r.device_count) +
           " " + r.device_class + " from " + n(r.granted_at) + " to " + n(r.ended_at) + " " +
           std::string(name(r.reason));
  }
  std::string operator()(const UsageRecord& r) const {
    return "usage of lease " + n(r.lease) + " day " + std::to_string(r.day) + ": " +
           usage_text(r.usage) + " " + std::to_string(r.amount.nanos) + " up to report " +
           n(r.sequence_floor);
  }
  std::string operator()(const LedgerEntry& r) const {
    return "ledger " + n(r.number) + " transaction " + n(r.transaction) + ": account " +
           n(r.account) + " " + std::to_string(r.amount.nanos) + " for lease " + n(r.lease) +
           " line " + std::to_string(static_cast<int>(r.line)) + " at " + n(r.at);
  }
  std::string operator()(const CountersRecord& r) const {
    return "counters: leases " + n(r.leases_until) + ", epochs " + n(r.epochs_until) +
           ", executors " + n(r.executors_until);
  }
};

struct ActionText {
  std::string operator()(const Persist& a) const { return "persist " + describe(a.record); }
  std::string operator()(const AccountCreated& a) const { return "account " + n(a.account); }
  std::string operator()(const CredentialCreated& a) const { return "credential " + n(a.key); }
  std::string operator()(const CredentialRevoked& a) const {
    return "credential " + n(a.key) + " revoked";
  }
  std::string operator()(const ExecutorJoined& a) const {
    return "executor " + n(a.executor) + " '" + a.name + "' joined";
  }
  std::string operator()(const DropExecutor& a) const {
    return "drop executor " + n(a.executor) + ": " + error_text(a.why);
  }
  std::string operator()(const RequestGranted& a) const {
    std::string out = "request " + n(a.request) +
                      " granted: " + lease_text(a.lease.id, a.lease.epoch) + " devices";
    for (const DeviceId device : a.lease.devices)
      out += " " + n(device.executor) + "/" + n(device.index);
    return out;
  }
  std::string operator()(const RequestQueued& a) const {
    return "request " + n(a.request) + " waits at " + n(a.position) + ": " + a.reason;
  }
  std::string operator()(const RequestRefused& a) const {
    return "request " + n(a.request) + " refused: " + error_text(a.error);
  }
  std::string operator()(const StartOnExecutor& a) const {
    std::string out = "start on executor " + n(a.executor) + " " + lease_text(a.lease, a.epoch) +
                      " of " + n(a.world_size) + " ranks:";
    for (const RankPlacement& rank : a.ranks) out += " " + n(rank.rank) + "@" + n(rank.device);
    return out;
  }
  std::string operator()(const StopOnExecutor& a) const {
    return "stop on executor " + n(a.executor) + " " + lease_text(a.lease, a.epoch);
  }
  std::string operator()(const LeaseReady& a) const {
    return lease_text(a.lease, a.epoch) + " ready until " + n(a.expires_at);
  }
  std::string operator()(const LeaseRenewed& a) const {
    return lease_text(a.lease, a.epoch) + " renewed until " + n(a.expires_at);
  }
  std::string operator()(const LeaseEnded& a) const {
    return lease_text(a.lease, a.epoch) + " ended, " + std::string(name(a.reason)) + ": " +
           error_text(a.error);
  }
  std::string operator()(const LeaseClosed& a) const {
    return lease_text(a.lease, a.epoch) + " closed";
  }
  std::string operator()(const UsageCounted& a) const {
    return "usage " + n(a.sequence) + " of lease " + n(a.lease) + " charged " +
           std::to_string(a.charged.nanos) + ", " + std::to_string(a.total.nanos) + " in all";
  }
};

}  // namespace

std::string describe(const Record& record) {
  return std::visit(RecordText{}, record);
}

std::string describe(const Action& action) {
  return std::visit(ActionText{}, action);
}

}  // namespace penstock::gateway
