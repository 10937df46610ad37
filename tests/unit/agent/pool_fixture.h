#pragma once

#include <doctest/doctest.h>
#include <kj/async-io.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/net/child_process.h"
#include "base/net/coroutine.h"
#include "base/net/crypto.h"
#include "base/net/event_loop.h"
#include "base/net/rpc_error.h"
#include "base/net/rpc_server.h"
#include "schema/wire/executor.capnp.h"
#include "schema/wire/gateway.capnp.h"
#include "schema/wire/lane.capnp.h"
#include "tests/unit/net/temporary_directory.h"

namespace penstock::executor::test {

/// What the gateway saw of one lost worker.
struct SeenLoss {
  std::uint64_t lease = 0;
  std::uint32_t rank = 0;
  std::string reason;
};

/// Adds up the usage reports of a lease, each number once.
struct SeenUsage {
  std::int64_t device_ns = 0;
  std::int64_t steps = 0;
  std::uint64_t last_sequence = 0;
};

/// A lease as the gateway makes it: prepared, assigned, connected, served.
struct LeaseHandle {
  std::vector<wire::Worker::Client> workers;
  kj::Maybe<wire::Leader::Client> leader;
  std::vector<std::string> addresses;
  std::string fingerprint;
  wire::Leader::Client& lead() { return KJ_ASSERT_NONNULL(leader); }
};

struct PoolOptions {
  std::string devices = "2";
  std::string memory = "64MiB";
  std::vector<std::string> more;  // further arguments of the agent
};

/// A gateway played by the test, and a real agent with real workers, over Unix sockets.
class PoolFixture {
 public:
  explicit PoolFixture(const PoolOptions& options = {});
  ~PoolFixture();

  /// Waits, at most 30 s.
  template <class T>
  Result<T> within(kj::Promise<T> promise) {
    return net::wait_result(
        net::with_deadline(loop->timer(), 30s, kj::mv(promise), "the test's wait"),
        loop->wait_scope());
  }
  Result<LeaseHandle> lease(std::uint64_t number, std::vector<std::uint32_t> devices);
  Status stop(std::uint64_t number, std::uint64_t epoch = 1);
  /// Drops every connection and listens again; done when the agent has registered anew.
  Status restart_gateway();
  /// Process ids of the running workers, by device.
  std::vector<int> worker_pids() const;

  std::unique_ptr<net::EventLoop> loop;
  net::test::TemporaryDirectory directory;
  NullLog log;
  net::SigningKey ticket_key = net::SigningKey::generate();
  std::vector<SeenLoss> losses;
  SeenUsage usage;
  std::string ready_line;
  std::unique_ptr<net::ChildProcess> agent_process;
  wire::Agent::Client& agent() { return KJ_ASSERT_NONNULL(agent_); }

  /// For the served interfaces.
  void register_agent(wire::Agent::Client agent);

 private:
  kj::Promise<void> listen();
  net::Task<LeaseHandle> make_lease(std::uint64_t number, std::vector<std::uint32_t> devices);

  kj::Maybe<wire::Agent::Client> agent_;
  kj::Own<kj::PromiseFulfiller<void>> registered_;
  std::unique_ptr<net::RpcServer> server_;
};

/// One tensor of 32-bit elements.
struct Tensor32 {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::uint32_t> bits;
};
Tensor32 floats(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& v);
Tensor32 integers(std::string name, std::vector<std::int64_t> shape,
                  const std::vector<std::int32_t>& v);
void set_batch(wire::Batch::Builder out, std::int64_t size, const std::vector<Tensor32>& inputs);

struct StepAnswer {
  float loss = 0;
  std::uint64_t step = 0;
  std::int64_t device_ns = 0;
  std::int64_t price_nanos = 0;
};
StepAnswer read_answer(wire::CallResult::Reader result);
kj::Promise<StepAnswer> step(wire::Trainer::Client trainer, std::uint64_t call, std::int64_t size,
                             const std::vector<Tensor32>& inputs);
kj::Promise<std::vector<float>> read_variable(wire::Trainer::Client trainer, std::uint64_t call,
                                              const std::string& name);

/// Loads a program for training, cut over so many devices by its batch.
kj::Promise<wire::Trainer::Client> train(wire::Leader::Client leader, std::uint64_t lane,
                                         const std::string& program, std::int64_t devices);

}  // namespace penstock::executor::test
