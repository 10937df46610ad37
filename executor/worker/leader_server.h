#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "base/log.h"
#include "executor/worker/lane.h"
#include "executor/worker/lease_ranks.h"
#include "executor/worker/limits.h"
#include "executor/worker/pricing.h"
#include "schema/wire/lane.capnp.h"

namespace penstock::executor {

/// What the parts of a leader share. Outlives every server.
struct LeaderParts {
  LeaseRanks* ranks = nullptr;
  const Clock* clock = nullptr;
  Log* log = nullptr;
  std::shared_ptr<BufferPool> pool;
  WorkerLimits limits;
  Prices prices;
  std::function<void(const wire::CallUsage&)> report;
  std::function<kj::Promise<void>()> settle;  // when all usage so far is with the gateway
};

/// The lease's session as its client sees it: loads programs, each into a lane of its own. The same
/// object serves the direct lane and the relay.
/// Threads: the loop's
class LeaderServer final : public wire::Leader::Server, private kj::TaskSet::ErrorHandler {
 public:
  explicit LeaderServer(LeaderParts parts) : parts_(std::move(parts)), tasks_(*this) {}

  kj::Promise<void> load(LoadContext context) override;
  kj::Promise<void> train(TrainContext context) override;
  kj::Promise<void> ping(PingContext) override { return kj::READY_NOW; }
  kj::Promise<void> settle(SettleContext) override { return parts_.settle(); }

 private:
  enum class Wanted { any, training };
  struct Loaded {
    kj::Own<wire::Trainer::Server> server;
    std::uint64_t arena_bytes = 0;
    Nanoseconds compile{};
  };
  kj::Promise<Loaded> compile(std::uint64_t lane, capnp::Data::Reader program,
                              capnp::Data::Reader plan, Wanted wanted);
  Status take_lane(std::uint64_t lane, std::size_t text_bytes);
  Result<Loaded> loaded(std::uint64_t lane, Wanted wanted, CommandOutcome outcome);
  void unload(std::uint64_t lane);
  void set_info(wire::LaneInfo::Builder out, const Loaded& loaded) const;
  void taskFailed(kj::Exception&& exception) override;

  const LeaderParts parts_;
  std::set<std::uint64_t> lanes_;
  kj::TaskSet tasks_;
};

}  // namespace penstock::executor
