#pragma once

#include "executor/agent/worker_pool.h"
#include "schema/wire/executor.capnp.h"

namespace penstock::executor {

/// The host's devices as the gateway sees them. The pool outlives it.
/// Threads: the loop's
class AgentServer final : public wire::Agent::Server {
 public:
  explicit AgentServer(WorkerPool& pool) : pool_(pool) {}

  kj::Promise<void> prepare(PrepareContext context) override;
  kj::Promise<void> stop(StopContext context) override;

 private:
  WorkerPool& pool_;
};

}  // namespace penstock::executor
