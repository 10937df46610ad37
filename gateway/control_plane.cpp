#include "gateway/control_plane.h"

#include <algorithm>
#include <utility>

namespace penstock::gateway {
namespace {

/// Numbers are reserved on disk this many at a time; half a block is always left.
constexpr std::uint64_t kReservedBlock = 4096;

std::uint64_t first_free(std::uint64_t until) {
  return std::max<std::uint64_t>(until, 1);
}

}  // namespace

ControlPlane::ControlPlane(ControlOptions options, PriceTable prices, StoredState stored)
    : options_(std::move(options)), prices_(std::move(prices)) {
  for (AccountRecord& account : stored.accounts) {
    next_account_ = std::max(next_account_, account.id.value + 1);
    accounts_[account.id] = std::move(account);
  }
  for (CredentialRecord& credential : stored.credentials) {
    next_key_ = std::max(next_key_, credential.id.value + 1);
    credentials_[credential.id] = std::move(credential);
  }
  lease_counter_.next = lease_counter_.until = first_free(stored.counters.leases_until.value);
  epoch_counter_.next = epoch_counter_.until = first_free(stored.counters.epochs_until.value);
  executor_counter_.next = executor_counter_.until =
      first_free(stored.counters.executors_until.value);
  for (const LeaseRecord& lease : stored.leases)
    if (lease.reason == EndReason::none) left_open_.push_back(lease);
  meter_.restore(stored);
}

std::uint64_t ControlPlane::Counter::take() {
  PENSTOCK_CHECK(next < until, "no number is reserved: recover() comes first");
  return next++;
}

void ControlPlane::reserve_numbers(Step& step) {
  bool changed = false;
  for (Counter* counter : {&lease_counter_, &epoch_counter_, &executor_counter_}) {
    if (counter->until - counter->next > kReservedBlock / 2) continue;
    counter->until = counter->next + kReservedBlock;
    changed = true;
  }
  if (changed)
    step.persist(CountersRecord{LeaseId{lease_counter_.until}, Epoch{epoch_counter_.until},
                                ExecutorId{executor_counter_.until}});
}

Actions ControlPlane::recover(Instant now) {
  Step step{.now = now, .out = {}};
  last_now_ = now;
  reserve_numbers(step);
  for (LeaseRecord& lease : left_open_) {
    lease.ended_at = now;
    lease.reason = EndReason::gateway_restarted;
    step.persist(lease);
  }
  left_open_.clear();
  return std::move(step.out);
}

Actions ControlPlane::apply(const Command& command, Instant now) {
  last_now_ = std::max(last_now_, now);
  Step step{.now = last_now_, .out = {}};
  run_due(step);
  Status status = std::visit([&](const auto& what) { return on(step, what); }, command);
  if (!status.ok()) step.out.refused = std::move(status).error();
  schedule_if_changed(step);
  reserve_numbers(step);
  return std::move(step.out);
}

Status ControlPlane::on(Step&, const Tick&) {
  return {};
}

/// Bounded: a deadline that fires sets at most one again, later than `now`. Nothing is granted
/// before everything that is due has happened: after a long gap, a request whose time is over must
/// not be served because another's was over too.
void ControlPlane::run_due(Step& step) {
  while (const std::optional<DeadlineKey> key = deadlines_.take_due(step.now)) on_due(step, *key);
  schedule_if_changed(step);
}

void ControlPlane::schedule_if_changed(Step& step) {
  if (std::exchange(step.pool_changed, false)) schedule(step);
}

void ControlPlane::on_due(Step& step, DeadlineKey key) {
  switch (key.kind) {
    case DeadlineKind::executor_heartbeat: {
      const Error why{ErrorCode::unavailable,
                      "no heartbeat for " + format_duration(options_.heartbeat_timeout)};
      step.act(DropExecutor{ExecutorId{key.id}, why});
      return lose_executor(step, ExecutorId{key.id}, why);
    }
    case DeadlineKind::lease_expiry: {
      LiveLease& live = leases_.at(LeaseId{key.id});
      if (live.client_lost)
        return end_lease(
            step, live, EndReason::client_lost,
            {ErrorCode::unavailable, "its client was gone for the reconnect_grace of " +
                                         format_duration(live.lease.terms.reconnect_grace)});
      return end_lease(
          step, live, EndReason::expired,
          {ErrorCode::deadline_exceeded, "not renewed for its expiry_period of " +
                                             format_duration(live.lease.terms.expiry_period) +
                                             "; renew sooner or ask for a longer one"});
    }
    case DeadlineKind::lease_start:
      return end_lease(step, leases_.at(LeaseId{key.id}), EndReason::start_failed,
                       {ErrorCode::unavailable, "its workers did not start within " +
                                                    format_duration(options_.start_timeout)});
    case DeadlineKind::stop_retry: {
      const LiveLease& live = leases_.at(LeaseId{key.id});
      for (const ExecutorId executor : live.to_free)
        step.act(StopOnExecutor{executor, live.lease.id, live.lease.epoch});
      return deadlines_.set(key, step.now + options_.stop_retry_period);
    }
    case DeadlineKind::request_wait: {
      const RequestId request{key.id};
      const WaitingRequest* waiting = queue_.find(request);
      PENSTOCK_CHECK(waiting != nullptr, "a deadline outlived its request");
      refuse_request(step, request,
                     {ErrorCode::deadline_exceeded, "waited its max_wait of " +
                                                        format_duration(waiting->terms.max_wait) +
                                                        ": " + why_waiting(*waiting)});
      step.pool_changed = true;
      return;
    }
  }
}

const Lease* ControlPlane::lease(LeaseId id) const {
  const auto found = leases_.find(id);
  return found == leases_.end() ? nullptr : &found->second.lease;
}

std::vector<LeaseId> ControlPlane::leases() const {
  std::vector<LeaseId> out;
  for (const auto& [id, live] : leases_) out.push_back(id);
  return out;
}

}  // namespace penstock::gateway
