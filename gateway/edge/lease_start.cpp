#include "gateway/edge/lease_start.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/net/coroutine.h"
#include "base/net/rpc_error.h"
#include "gateway/edge/shell.h"
#include "gateway/edge/usage_sink.h"
#include "schema/wire/convert.h"

namespace penstock::gateway {
namespace {

struct Rank {
  ExecutorId executor;
  wire::Worker::Client worker;
};

/// A call to an executor that failed: whom to report.
struct Failure {
  ExecutorId executor;
  Error error;
};

template <class T>
kj::Promise<T> within(Shell& shell, kj::Promise<T> promise, std::string what) {
  return net::with_deadline(*shell.parts().timer, shell.parts().call_deadline, kj::mv(promise),
                            std::move(what));
}

net::Task<std::vector<Rank>> prepare(Shell& shell, LeaseRun& run, ExecutorId& at) {
  std::vector<std::optional<Rank>> found(run.lease.devices.size());
  for (const auto& [executor, placements] : run.placements) {
    at = executor;
    auto request = shell.agent(executor).prepareRequest();
    request.setLease(run.lease.id.value);
    request.setEpoch(run.lease.epoch.value);
    auto devices = request.initDevices(static_cast<unsigned>(placements.size()));
    for (unsigned i = 0; i < placements.size(); ++i) devices.set(i, placements[i].device);
    auto sent = within(shell, request.send().dropPipeline(), "agent.prepare");
    auto response = co_await sent;
    auto workers = response.getWorkers();
    if (workers.size() != placements.size())
      net::throw_error({ErrorCode::internal, "agent.prepare: " + std::to_string(workers.size()) +
                                                 " workers for " +
                                                 std::to_string(placements.size()) + " devices"});
    for (unsigned i = 0; i < placements.size(); ++i)
      found.at(placements[i].rank) = Rank{executor, workers[i]};
  }
  std::vector<Rank> ranks;
  for (auto& rank : found) ranks.push_back(std::move(rank.value()));
  co_return ranks;
}

void fill_assignment(wire::Assignment::Builder out, Shell& shell, LeaseRun& run,
                     std::uint32_t rank) {
  out.setLease(run.lease.id.value);
  out.setEpoch(run.lease.epoch.value);
  out.setRank(rank);
  out.setRanks(static_cast<std::uint32_t>(run.lease.devices.size()));
  out.setPricePerDeviceSecondNanos(run.lease.price.nanos_per_device_second);
  out.setPricePerGibInNanos(run.lease.price.nanos_per_gib_in);
  out.setPricePerGibOutNanos(run.lease.price.nanos_per_gib_out);
  const auto& key = shell.parts().ticket_key->public_key().bytes;
  out.setTicketKey(kj::arrayPtr(key.data(), key.size()));
  out.setLocal(run.placements.size() == 1);
  out.setExecutor(run.lease.devices[rank].executor.value);
  if (rank == 0) out.setUsage(make_usage_sink(shell, run.lease.id, run.lease.epoch));
}

net::Task<void> bring_up(Shell& shell, LeaseRun& run, ExecutorId& at) {
  std::vector<Rank> ranks = co_await prepare(shell, run, at);
  std::vector<std::string> addresses;
  // Each group of calls is sent before the first answer is awaited.
  std::vector<kj::Promise<capnp::Response<wire::Worker::AssignResults>>> assigned;
  for (std::uint32_t i = 0; i < ranks.size(); ++i) {
    auto request = ranks[i].worker.assignRequest();
    fill_assignment(request.initAssignment(), shell, run, i);
    assigned.push_back(within(shell, request.send().dropPipeline(), "worker.assign"));
  }
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    at = ranks[i].executor;
    auto response = co_await assigned[i];
    const auto address = response.getTransportAddress();
    addresses.emplace_back(reinterpret_cast<const char*>(address.begin()), address.size());
  }
  std::vector<kj::Promise<void>> connected;
  for (Rank& rank : ranks) {
    auto request = rank.worker.connectRequest();
    auto list = request.initTransportAddresses(static_cast<unsigned>(addresses.size()));
    for (unsigned i = 0; i < addresses.size(); ++i)
      list.set(i, kj::arrayPtr(reinterpret_cast<const kj::byte*>(addresses[i].data()),
                               addresses[i].size()));
    connected.push_back(within(shell, request.send().ignoreResult(), "worker.connect"));
  }
  for (std::size_t i = 0; i < connected.size(); ++i) {
    at = ranks[i].executor;
    co_await connected[i];
  }
  at = ranks[0].executor;
  auto sent = within(shell, ranks[0].worker.serveRequest().send().dropPipeline(), "worker.serve");
  auto served = co_await sent;
  run.leader = served.getLeader();
  run.leader_fingerprint = wire::to_string(served.getFingerprint());
  for (const auto address : served.getAddresses())
    run.addresses.push_back(wire::to_string(address));
}

net::Task<void> start(Shell& shell, kj::Own<LeaseRun> run) {
  // Blame the first executor unless a later call says which.
  ExecutorId at = run->lease.devices.front().executor;
  auto settled = net::settle(kj::Promise<void>(bring_up(shell, *run, at)));
  const Status status = co_await settled;
  if (run->over) co_return;
  if (!status.ok()) {
    static_cast<void>(
        shell.apply(LeaseFailed{at, run->lease.id, run->lease.epoch, status.error()}));
    co_return;
  }
  for (const auto& placement : run->placements)
    static_cast<void>(shell.apply(LeaseStarted{placement.first, run->lease.id, run->lease.epoch}));
}

}  // namespace

kj::Promise<void> start_lease(Shell& shell, kj::Own<LeaseRun> run) {
  return start(shell, kj::mv(run));
}

}  // namespace penstock::gateway
