#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gateway/control_plane.h"

namespace penstock::gateway {

/// 2026-01-01T00:00:00Z, day 20454 since 1970.
inline constexpr Instant kStart{1'767'225'600'000'000'000};

/// Pointers to the actions of one kind, in order.
template <class A>
std::vector<A> all(const Actions& actions) {
  std::vector<A> out;
  for (const Action& action : actions.list)
    if (const A* found = std::get_if<A>(&action)) out.push_back(*found);
  return out;
}

template <class A>
A only(const Actions& actions) {
  const std::vector<A> found = all<A>(actions);
  REQUIRE(found.size() == 1);
  return found.front();
}

/// For tests in which executors may be silent.
inline ControlOptions patient() {
  ControlOptions options;
  options.heartbeat_timeout = 3600s;
  return options;
}

/// A control plane with one account, one join token and a clock that the test moves.
struct Pond {
  explicit Pond(ControlOptions options = {}, StoredState stored = {}, Instant start = kStart)
      : now(start), plane(options, PriceTable::standard(), std::move(stored)) {
    plane.recover(now);
    if (plane.accounts().empty()) {
      account = only<AccountCreated>(apply(CreateAccount{"team"})).account;
      token = create_token(CredentialUse::many);
    }
  }

  Actions apply(const Command& command) { return plane.apply(command, now); }
  Actions pass(Nanoseconds span) {
    now = now + span;
    return apply(Tick{});
  }
  KeyId create_token(CredentialUse use) {
    CreateCredential create;
    create.kind = CredentialKind::join_token;
    create.use = use;
    create.label = "token";
    create.hash = "hash";
    return only<CredentialCreated>(apply(create)).key;
  }
  Actions register_executor(const std::string& name, std::size_t devices,
                            std::uint64_t memory = kGiB, char digit = 'a') {
    return apply(RegisterExecutor{name, std::string(64, digit), token,
                                  std::vector<DeviceSpec>(devices, DeviceSpec{"cpu", 1, memory})});
  }
  ExecutorId join(const std::string& name, std::size_t devices, std::uint64_t memory = kGiB,
                  char digit = 'a') {
    return only<ExecutorJoined>(register_executor(name, devices, memory, digit)).executor;
  }
  Actions request(std::uint64_t id, LeaseTerms terms) {
    return apply(RequestLease{RequestId{id}, account, std::move(terms)});
  }
  /// A lease that has started.
  Lease lease(std::uint64_t request_id, std::uint32_t devices) {
    LeaseTerms terms;
    terms.device_count = devices;
    const Lease granted = only<RequestGranted>(request(request_id, terms)).lease;
    start(granted);
    return granted;
  }
  void start(const Lease& granted) {
    std::set<ExecutorId> executors;
    for (const DeviceId device : granted.devices) executors.insert(device.executor);
    for (const ExecutorId executor : executors)
      CHECK_FALSE(apply(LeaseStarted{executor, granted.id, granted.epoch}).refused);
  }
  Actions report(const Lease& lease, std::uint64_t sequence, Usage usage) {
    return apply(ReportUsage{lease.id, lease.epoch, sequence, usage});
  }

  Instant now;
  ControlPlane plane;
  AccountId account;
  KeyId token;
};

}  // namespace penstock::gateway
