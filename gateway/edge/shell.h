#pragma once

#include <kj/async.h>
#include <kj/timer.h>

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/crypto.h"
#include "gateway/control_plane.h"
#include "gateway/edge/lease_run.h"
#include "gateway/store/store.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::gateway {

/// Performs what the control plane decides: the one place where its commands come together and
/// its actions meet sockets, processes and the store.
/// Threads: the loop's; the store calls back on its own thread and is brought home here.
class Shell final : private kj::TaskSet::ErrorHandler {
 public:
  struct Parts {
    ControlPlane* control = nullptr;
    Store* store = nullptr;
    const Clock* wall = nullptr;  // nanoseconds since 1970
    kj::Timer* timer = nullptr;
    Log* log = nullptr;
    const net::SigningKey* ticket_key = nullptr;  // signs tickets; outlives the shell
    Nanoseconds heartbeat_period = 2s;
    Nanoseconds call_deadline = 20s;  // for one call to an agent or worker
  };
  explicit Shell(Parts parts);
  KJ_DISALLOW_COPY(Shell);

  /// Ends what an earlier run left open and starts the ticking. Call once, first.
  void start();

  /// Applies one command and performs its actions.
  /// Errors: what the control plane refused it for.
  Result<Actions> apply(const Command& command);
  /// As apply; the promise resolves when its records are on disk.
  kj::Promise<Actions> apply_durably(const Command& command);

  /// Asks for devices; resolves when the lease's workers are connected.
  kj::Promise<kj::Own<LeaseRun>> request_lease(AccountId account, LeaseTerms terms,
                                               std::string client_fingerprint);

  /// An executor's connection: known from ExecutorJoined on. `drop` is called if the control plane
  /// lets it go.
  void link_executor(ExecutorId id, wire::Agent::Client agent, std::function<void(Error)> drop);
  void unlink_executor(ExecutorId id);
  wire::Agent::Client agent(ExecutorId id);

  void watch_key(KeyId key, void* watcher, std::function<void()> revoked);
  void unwatch_key(KeyId key, void* watcher);

  const Parts& parts() const { return parts_; }
  ControlPlane& control() { return *parts_.control; }
  Instant now() const { return parts_.wall->now(); }
  /// Runs `promise` in the background; a failure is logged as `what`.
  void background(std::string what, kj::Promise<void> promise);

 private:
  struct ExecutorLink {
    wire::Agent::Client agent;
    std::function<void(Error)> drop;
  };
  struct Waiting {
    kj::Own<kj::PromiseFulfiller<kj::Own<LeaseRun>>> granted;
    std::string client_fingerprint;
  };

  void perform_all(const Actions& actions);
  void perform(const Action& action);
  void on(const Persist&) {}  // the records of one command go to the store together
  void on(const AccountCreated&) {}
  void on(const CredentialCreated&) {}
  void on(const CredentialRevoked& action);
  void on(const ExecutorJoined&) {}
  void on(const DropExecutor& action);
  void on(const RequestGranted& action);
  void on(const RequestQueued& action);
  void on(const RequestRefused& action);
  void on(const StartOnExecutor& action);
  void on(const StopOnExecutor& action);
  void on(const LeaseReady& action);
  void on(const LeaseRenewed& action);
  void on(const LeaseEnded& action);
  void on(const LeaseClosed& action);
  void on(const UsageCounted& action);
  kj::Promise<void> durable();
  kj::Promise<void> tick();
  void taskFailed(kj::Exception&& exception) override;

  Parts parts_;
  std::uint64_t next_request_ = 1;
  std::map<RequestId, Waiting> waiting_;
  std::map<LeaseId, kj::Own<LeaseRun>> runs_;
  std::map<ExecutorId, ExecutorLink> executors_;
  std::map<std::pair<KeyId, void*>, std::function<void()>> key_watchers_;
  kj::TaskSet tasks_;
};

}  // namespace penstock::gateway
