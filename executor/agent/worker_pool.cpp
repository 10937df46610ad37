#include "executor/agent/worker_pool.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/net/rpc_error.h"

namespace penstock::executor {
namespace {

constexpr Nanoseconds kRestartAfterMin = 100ms;
constexpr Nanoseconds kRestartAfterMax = 5s;

std::string lease_text(LeaseId lease, Epoch epoch) {
  return "lease " + std::to_string(lease.value) + ", epoch " + std::to_string(epoch.value);
}

}  // namespace

WorkerPool::WorkerPool(net::EventLoop& loop, const AgentOptions& options, Log& log)
    : loop_(loop), options_(options), log_(log), tasks_(*this) {
  for (std::uint32_t device = 0; device < options_.devices; ++device) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->device = device;
    tasks_.add(keep_running(*slots_.back()));
  }
}

kj::Promise<void> WorkerPool::changed() {
  auto pair = kj::newPromiseAndFulfiller<void>();
  waiting_.push_back(kj::mv(pair.fulfiller));
  return kj::mv(pair.promise);
}

void WorkerPool::tell_change() {
  for (auto& waiting : std::exchange(waiting_, {})) waiting->fulfill();
}

kj::Promise<void> WorkerPool::keep_running(Slot& slot) {
  return run_once(slot).promise().then([this, &slot]() {
    return loop_.timer().afterDelay(net::to_duration(slot.restart_after)).then([this, &slot]() {
      return keep_running(slot);
    });
  });
}

/// One process's life: started, ready, ended.
net::Task<void> WorkerPool::run_once(Slot& slot) {
  auto started = WorkerProcess::start(loop_, options_, slot.device);
  if (!started.ok()) {
    ended(slot, started.error().message);
    co_return;
  }
  slot.process = std::move(started).value();
  auto answered = net::settle(net::with_deadline(loop_.timer(), options_.start_deadline,
                                                 slot.process->ready(), "a worker's start"));
  const Status ready = co_await answered;
  if (ready.ok()) {
    slot.ready = true;
    slot.restart_after = 0ns;
    tell_change();
  } else {
    slot.process->kill_now();
  }
  auto exit = net::settle(slot.process->exited());
  const auto status = co_await exit;
  ended(slot, status.ok() ? status->text() : status.error().message);
}

void WorkerPool::ended(Slot& slot, const std::string& reason) {
  const bool was_ready = std::exchange(slot.ready, false);
  slot.process.reset();
  const LostWorker lost{slot.lease, slot.epoch, slot.rank, reason};
  const bool leased = static_cast<bool>(slot.lease);
  const bool wanted = std::exchange(slot.stopping, false);
  slot.lease = {};
  slot.epoch = {};
  if (!wanted)
    log_.warning("agent", "worker of device " + std::to_string(slot.device) + " ended: " + reason);
  if (!was_ready)
    slot.restart_after = std::clamp(2 * slot.restart_after, Nanoseconds(kRestartAfterMin),
                                    Nanoseconds(kRestartAfterMax));
  tell_change();
  if (leased && !wanted && lost_) lost_(lost);
}

Status WorkerPool::claim(LeaseId lease, Epoch epoch, const std::vector<std::uint32_t>& devices) {
  const std::string place = "prepare " + lease_text(lease, epoch) + ": ";
  if (!lease || devices.empty()) return invalid(place + "a lease and its devices are needed");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string device = "device " + std::to_string(devices[i]);
    if (devices[i] >= slots_.size())
      return invalid(place + device + " is not here; this host has " +
                     std::to_string(slots_.size()));
    if (std::count(devices.begin(), devices.end(), devices[i]) > 1)
      return invalid(place + device + " is named twice");
    const Slot& slot = *slots_[devices[i]];
    const bool same = slot.lease == lease && slot.epoch == epoch && slot.rank == i;
    if (slot.lease && !same)
      return Error{ErrorCode::failed_precondition, place + device + " belongs to " +
                                                       lease_text(slot.lease, slot.epoch) +
                                                       "; stop that lease first"};
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    Slot& slot = *slots_[devices[i]];
    slot.lease = lease;
    slot.epoch = epoch;
    slot.rank = static_cast<std::uint32_t>(i);
  }
  return {};
}

net::Task<void> WorkerPool::until_ready(Slot& slot) {
  while (!slot.ready) co_await changed();
}

net::Task<std::vector<wire::Worker::Client>> WorkerPool::prepare(
    LeaseId lease, Epoch epoch, std::vector<std::uint32_t> devices) {
  net::or_throw(claim(lease, epoch, devices));
  std::vector<wire::Worker::Client> workers;
  for (const std::uint32_t device : devices) {
    Slot& slot = *slots_[device];
    std::string what = "starting the worker of device " + std::to_string(device);
    auto ready = net::settle(net::with_deadline(loop_.timer(), options_.start_deadline,
                                                until_ready(slot), std::move(what)));
    Status status = co_await ready;
    if (status.ok() && slot.lease != lease)
      status = Error{ErrorCode::unavailable,
                     "prepare " + lease_text(lease, epoch) + ": the worker of device " +
                         std::to_string(device) + " ended or was stopped meanwhile; try again"};
    if (!status.ok()) {
      auto stopping = stop(lease, epoch);
      co_await std::move(stopping);
      net::throw_error(status.error());
    }
    workers.push_back(slot.process->worker());
  }
  co_return workers;
}

net::Task<void> WorkerPool::stop_slots(std::vector<Slot*> slots) {
  auto gone = kj::heapArrayBuilder<kj::Promise<void>>(slots.size());
  for (Slot* slot : slots) {
    if (slot->process == nullptr) {
      slot->lease = {};
      slot->epoch = {};
      gone.add(kj::READY_NOW);
      continue;
    }
    slot->stopping = true;
    gone.add(slot->process->stop(loop_.timer(), options_.stop_grace)
                 .attach(std::shared_ptr<WorkerProcess>(slot->process)));
  }
  auto all = kj::joinPromises(gone.finish());
  co_await all;
}

net::Task<void> WorkerPool::stop(LeaseId lease, Epoch epoch) {
  std::vector<Slot*> slots;
  for (const auto& slot : slots_)
    if (slot->lease == lease && slot->epoch <= epoch) slots.push_back(slot.get());
  return stop_slots(std::move(slots));
}

net::Task<void> WorkerPool::stop_all_leases() {
  std::vector<Slot*> slots;
  for (const auto& slot : slots_)
    if (slot->lease) slots.push_back(slot.get());
  return stop_slots(std::move(slots));
}

net::Task<void> WorkerPool::all_idle() {
  const auto idle = [](const auto& slot) { return slot->ready && !slot->lease; };
  while (!std::all_of(slots_.begin(), slots_.end(), idle)) co_await changed();
}

void WorkerPool::taskFailed(kj::Exception&& exception) {
  log_.error("agent",
             "a device is no longer looked after: " + net::from_exception(exception).message);
}

}  // namespace penstock::executor
