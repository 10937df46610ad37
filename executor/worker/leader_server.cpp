#include "executor/worker/leader_server.h"

#include <algorithm>
#include <utility>

#include "base/net/rpc_error.h"
#include "executor/worker/executable_server.h"

namespace penstock::executor {
namespace {

std::string text_of(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

}  // namespace

Status LeaderServer::take_lane(std::uint64_t lane, std::size_t text_bytes) {
  const std::string place = "lane " + std::to_string(lane);
  if (text_bytes > parts_.limits.text_bytes_max)
    return Error{ErrorCode::resource_exhausted,
                 place + ": program and plan are " + format_bytes(text_bytes) +
                     " of text; at most " + format_bytes(parts_.limits.text_bytes_max) +
                     " is taken"};
  if (lanes_.count(lane) != 0)
    return Error{ErrorCode::already_exists,
                 place + " has a program already; choose another lane number"};
  if (lanes_.size() >= parts_.limits.lanes_max)
    return Error{ErrorCode::resource_exhausted,
                 place + ": the lease has " + std::to_string(lanes_.size()) +
                     " lanes, the most that it may; release one first"};
  lanes_.insert(lane);
  return {};
}

kj::Promise<LeaderServer::Loaded> LeaderServer::compile(std::uint64_t lane,
                                                        capnp::Data::Reader program,
                                                        capnp::Data::Reader plan, Wanted wanted) {
  net::or_throw(take_lane(lane, program.size() + plan.size()));
  Command command;
  command.lane = lane;
  command.kind = CommandKind::load;
  command.name = text_of(program);
  command.plan = text_of(plan);
  return parts_.ranks->run(std::move(command), {})
      .then([this, lane, wanted](CommandOutcome&& outcome) {
        return net::or_throw(loaded(lane, wanted, kj::mv(outcome)));
      });
}

Result<LeaderServer::Loaded> LeaderServer::loaded(std::uint64_t lane, Wanted wanted,
                                                  CommandOutcome outcome) {
  Loaded loaded;
  for (const RankResult& rank : outcome.ranks) {
    loaded.arena_bytes = std::max(loaded.arena_bytes, rank.completion.arena_bytes);
    loaded.compile = std::max(loaded.compile, rank.completion.compile);
    if (!outcome.error && rank.completion.arena_bytes != outcome.ranks[0].completion.arena_bytes)
      outcome.error = Error{ErrorCode::internal, "the ranks compiled different programs"};
  }
  const auto executable = outcome.ranks[0].executable;
  if (!outcome.error && wanted == Wanted::training && executable->find_entry("step") == nullptr)
    outcome.error = invalid(
        "the program has no training section, so it cannot be trained; "
        "add `train ENTRY minimize LOSS with OPTIMIZER`, or load it");
  if (outcome.error) {
    unload(lane);
    return std::move(*outcome.error).in("lane " + std::to_string(lane));
  }
  Lane::Options options{.number = lane,
                        .limits = parts_.limits.lane,
                        .executable = executable,
                        .ranks = parts_.ranks,
                        .clock = parts_.clock,
                        .pool = parts_.pool,
                        .prices = parts_.prices,
                        .report = parts_.report};
  auto self = thisCap();
  loaded.server = kj::heap<ExecutableServer>(
      std::move(options),
      // The capability keeps this server alive for as long as it has lanes.
      [this, lane, self = std::make_shared<capnp::Capability::Client>(kj::mv(self))] {
        unload(lane);
      });
  return loaded;
}

void LeaderServer::unload(std::uint64_t lane) {
  Command command;
  command.lane = lane;
  command.kind = CommandKind::unload;
  // The number is free again once the ranks have let go of its memory.
  tasks_.add(parts_.ranks->run(std::move(command), {}).then([this, lane](CommandOutcome&&) {
    lanes_.erase(lane);
  }));
}

void LeaderServer::set_info(wire::LaneInfo::Builder out, const Loaded& loaded) const {
  out.setDevices(parts_.ranks->ranks());
  out.setArenaBytes(loaded.arena_bytes);
  out.setCompileNs(loaded.compile.count());
  out.setPricePerDeviceSecondNanos(parts_.prices.per_device_second_nanos);
}

kj::Promise<void> LeaderServer::load(LoadContext context) {
  const auto params = context.getParams();
  return compile(params.getLane(), params.getProgram(), params.getPlan(), Wanted::any)
      .then([this, context](Loaded&& loaded) mutable {
        auto results = context.getResults();
        set_info(results.initInfo(), loaded);
        results.setExecutable(wire::Trainer::Client(kj::mv(loaded.server)));
      });
}

kj::Promise<void> LeaderServer::train(TrainContext context) {
  const auto params = context.getParams();
  return compile(params.getLane(), params.getProgram(), params.getPlan(), Wanted::training)
      .then([this, context](Loaded&& loaded) mutable {
        auto results = context.getResults();
        set_info(results.initInfo(), loaded);
        results.setTrainer(wire::Trainer::Client(kj::mv(loaded.server)));
      });
}

void LeaderServer::taskFailed(kj::Exception&& exception) {
  parts_.log->error("worker", net::from_exception(exception).message);
}

}  // namespace penstock::executor
