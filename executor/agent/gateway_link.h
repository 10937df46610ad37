#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/log.h"
#include "base/net/coroutine.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_client.h"
#include "base/net/tls.h"
#include "base/random.h"
#include "executor/agent/agent_options.h"
#include "executor/agent/worker_pool.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::executor {

/// Keeps this host registered with the gateway: dials in, registers, sends heartbeats, and dials
/// again, later and later, when the gateway is lost. Leases end with the registration that they
/// came through. Threads: the loop's
class GatewayLink final {
 public:
  struct Parts {
    net::EventLoop* loop = nullptr;
    const AgentOptions* options = nullptr;
    WorkerPool* pool = nullptr;
    Random* random = nullptr;  // for the back-off
    Log* log = nullptr;
  };
  /// Errors: invalid_argument if the gateway's URL has no fingerprint although it is TCP
  static Result<std::unique_ptr<GatewayLink>> create(Parts parts);

  /// Runs until the gateway refuses this host for good (a wrong token or version): that error.
  net::Task<Error> run();
  /// When the host has been registered for the first time.
  kj::Promise<void> registered() { return registered_.addBranch(); }
  /// Tells the gateway which worker was lost, if there is one.
  void worker_lost(const LostWorker& lost);

 private:
  explicit GatewayLink(Parts parts, std::unique_ptr<net::TlsContext> tls);
  net::Task<Status> serve_once();
  net::Task<Status> heartbeats(wire::Registration::Client registration);
  void describe(wire::ExecutorDescription::Builder out) const;
  Nanoseconds next_delay();

  const Parts parts_;
  std::unique_ptr<net::TlsContext> tls_;  // null on a Unix socket
  kj::Own<kj::PromiseFulfiller<void>> tell_registered_;
  kj::ForkedPromise<void> registered_;
  kj::Maybe<wire::Registration::Client> registration_;
  Nanoseconds delay_{};
};

/// Whether dialling again cannot help.
bool is_final(const Error& error);

}  // namespace penstock::executor
