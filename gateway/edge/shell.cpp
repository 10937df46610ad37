#include "gateway/edge/shell.h"

#include <kj/debug.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/net/coroutine.h"
#include "base/net/rpc_error.h"
#include "gateway/edge/lease_start.h"

namespace penstock::gateway {
namespace {

constexpr Nanoseconds kTickLongest = 100ms;
constexpr Nanoseconds kTickShortest = 1ms;

std::string lease_text(LeaseId lease) {
  return "lease " + std::to_string(lease.value);
}

}  // namespace

Shell::Shell(Parts parts) : parts_(std::move(parts)), tasks_(*this) {}

void Shell::start() {
  perform_all(parts_.control->recover(now()));
  background("ticking", tick());
}

Result<Actions> Shell::apply(const Command& command) {
  Actions actions = parts_.control->apply(command, now());
  perform_all(actions);
  if (actions.refused) return *actions.refused;
  return actions;
}

kj::Promise<Actions> Shell::apply_durably(const Command& command) {
  auto actions = apply(command);
  if (!actions.ok()) return net::to_exception(actions.error());
  return durable().then(
      [actions = std::move(actions).value()]() mutable { return std::move(actions); });
}

kj::Promise<void> Shell::durable() {
  auto pair = kj::newPromiseAndCrossThreadFulfiller<void>();
  parts_.store->flush([fulfiller = std::make_shared<kj::Own<kj::CrossThreadPromiseFulfiller<void>>>(
                           kj::mv(pair.fulfiller))](Status status) {
    if (status.ok()) {
      (*fulfiller)->fulfill();
    } else {
      (*fulfiller)->reject(net::to_exception(status.error()));
    }
  });
  return kj::mv(pair.promise);
}

kj::Promise<kj::Own<LeaseRun>> Shell::request_lease(AccountId account, LeaseTerms terms,
                                                    std::string client_fingerprint) {
  const RequestId request{next_request_++};
  auto pair = kj::newPromiseAndFulfiller<kj::Own<LeaseRun>>();
  waiting_[request] = {kj::mv(pair.fulfiller), std::move(client_fingerprint)};
  auto actions = apply(RequestLease{request, account, std::move(terms)});
  if (!actions.ok()) {
    waiting_.erase(request);
    return net::to_exception(actions.error());
  }
  // A client that no longer waits drops the promise: the request leaves the queue.
  auto cancel = kj::defer([this, request]() {
    if (waiting_.erase(request) > 0) static_cast<void>(apply(CancelRequest{request}));
  });
  return pair.promise.attach(kj::mv(cancel)).then([](kj::Own<LeaseRun> run) {
    auto ready = run->when_ready();
    return ready.then([run = kj::mv(run)]() mutable { return kj::mv(run); });
  });
}

void Shell::link_executor(ExecutorId id, wire::Agent::Client agent,
                          std::function<void(Error)> drop) {
  executors_.insert_or_assign(id, ExecutorLink{kj::mv(agent), std::move(drop)});
}

void Shell::unlink_executor(ExecutorId id) {
  executors_.erase(id);
}

wire::Agent::Client Shell::agent(ExecutorId id) {
  const auto at = executors_.find(id);
  if (at != executors_.end()) return at->second.agent;
  return net::to_exception({ErrorCode::unavailable, "executor " + std::to_string(id.value) +
                                                        ": not connected; lease other devices"});
}

void Shell::watch_key(KeyId key, void* watcher, std::function<void()> revoked) {
  key_watchers_[{key, watcher}] = std::move(revoked);
}

void Shell::unwatch_key(KeyId key, void* watcher) {
  key_watchers_.erase({key, watcher});
}

void Shell::background(std::string what, kj::Promise<void> promise) {
  tasks_.add(promise.catch_([this, what = std::move(what)](kj::Exception&& exception) {
    parts_.log->warning("gateway", what + ": " + net::from_exception(exception).message);
  }));
}

void Shell::taskFailed(kj::Exception&& exception) {
  parts_.log->error("gateway", net::from_exception(exception).message);
}

void Shell::perform_all(const Actions& actions) {
  std::vector<Record> records = records_of(actions);
  if (!records.empty()) parts_.store->append_all(std::move(records));
  for (const Action& action : actions.list) perform(action);
}

void Shell::perform(const Action& action) {
  if (!std::holds_alternative<Persist>(action) && !std::holds_alternative<UsageCounted>(action) &&
      !std::holds_alternative<LeaseRenewed>(action)) {
    parts_.log->debug("control", describe(action));
  }
  std::visit([this](const auto& one) { on(one); }, action);
}

void Shell::on(const CredentialRevoked& action) {
  std::vector<std::function<void()>> calls;
  for (const auto& [watched, call] : key_watchers_)
    if (watched.first == action.key) calls.push_back(call);
  for (const auto& call : calls) call();
}

void Shell::on(const DropExecutor& action) {
  const auto at = executors_.find(action.executor);
  if (at == executors_.end()) return;
  parts_.log->warning("gateway", "executor " + std::to_string(action.executor.value) +
                                     " dropped: " + action.why.message);
  const auto drop = std::move(at->second.drop);
  executors_.erase(at);
  if (drop) drop(action.why);
}

void Shell::on(const RequestGranted& action) {
  const auto at = waiting_.find(action.request);
  KJ_REQUIRE(at != waiting_.end(), "granted a request that nobody made");
  auto run = kj::refcounted<LeaseRun>();
  run->lease = action.lease;
  run->client_fingerprint = at->second.client_fingerprint;
  runs_[action.lease.id] = kj::addRef(*run);
  auto granted = kj::mv(at->second.granted);
  waiting_.erase(at);
  parts_.log->info("gateway", lease_text(action.lease.id) + ": granted " +
                                  std::to_string(action.lease.devices.size()) + " device(s)");
  // The placements come with the StartOnExecutor actions that follow in the same list.
  background(lease_text(action.lease.id), kj::evalLater([this, run = kj::addRef(*run)]() mutable {
               return start_lease(*this, kj::mv(run));
             }));
  granted->fulfill(kj::mv(run));
}

void Shell::on(const RequestQueued& action) {
  parts_.log->info("gateway", "request " + std::to_string(action.request.value) + ": position " +
                                  std::to_string(action.position) + ": " + action.reason);
}

void Shell::on(const RequestRefused& action) {
  const auto at = waiting_.find(action.request);
  if (at == waiting_.end()) return;
  auto granted = kj::mv(at->second.granted);
  waiting_.erase(at);
  granted->reject(net::to_exception(action.error));
}

void Shell::on(const StartOnExecutor& action) {
  const auto at = runs_.find(action.lease);
  if (at != runs_.end()) at->second->placements[action.executor] = action.ranks;
}

void Shell::on(const StopOnExecutor& action) {
  auto request = agent(action.executor).stopRequest();
  request.setLease(action.lease.value);
  request.setEpoch(action.epoch.value);
  auto stopped = net::with_deadline(*parts_.timer, parts_.call_deadline,
                                    request.send().ignoreResult(), "agent.stop");
  background("stopping " + lease_text(action.lease), stopped.then([this, action]() {
    static_cast<void>(apply(DevicesFreed{action.executor, action.lease, action.epoch}));
  }));
}

void Shell::on(const LeaseReady& action) {
  const auto at = runs_.find(action.lease);
  if (at == runs_.end()) return;
  at->second->active = true;
  at->second->lease.expires_at = action.expires_at;
  at->second->ready_fulfiller->fulfill();
}

void Shell::on(const LeaseRenewed& action) {
  const auto at = runs_.find(action.lease);
  if (at != runs_.end()) at->second->lease.expires_at = action.expires_at;
}

void Shell::on(const LeaseEnded& action) {
  parts_.log->info("gateway",
                   lease_text(action.lease) + ": ended (" + std::string(name(action.reason)) + ")");
  const auto at = runs_.find(action.lease);
  if (at == runs_.end()) return;
  LeaseRun& run = *at->second;
  run.over = true;
  run.end = action.error;
  run.leader = nullptr;
  if (!run.active) run.ready_fulfiller->reject(net::to_exception(action.error));
  run.ended_fulfiller->fulfill();
}

void Shell::on(const LeaseClosed& action) {
  const auto at = runs_.find(action.lease);
  if (at == runs_.end()) return;
  at->second->closed_fulfiller->fulfill();
  runs_.erase(at);
}

void Shell::on(const UsageCounted& action) {
  const auto at = runs_.find(action.lease);
  if (at != runs_.end()) at->second->billed = action.total;
}

kj::Promise<void> Shell::tick() {
  const auto deadline = parts_.control->next_deadline();
  const Nanoseconds wait =
      deadline ? std::clamp(*deadline - now(), kTickShortest, kTickLongest) : kTickLongest;
  return parts_.timer->afterDelay(net::to_duration(wait)).then([this]() {
    const auto due = parts_.control->next_deadline();
    if (due && *due <= now()) static_cast<void>(apply(Tick{}));
    return tick();
  });
}

}  // namespace penstock::gateway
