#include <algorithm>
#include <utility>

#include "gateway/control_plane.h"

/// A lease's life after its grant.
namespace penstock::gateway {
namespace {

/// Reports measure with the executor's clock; a lease may be over its time by this much.
constexpr Nanoseconds kClockSlack = 1s;

std::string place_of(LeaseId lease) {
  return "lease " + std::to_string(lease.value);
}

/// What the devices could have worked since the grant, as a bound on what is billed.
std::int64_t held_nanoseconds(const Lease& lease, Instant now) {
  const auto devices = static_cast<std::int64_t>(lease.devices.size());
  const auto held = checked_mul(devices, (now - lease.granted_at + kClockSlack).count());
  return held.ok() ? *held : INT64_MAX;
}

}  // namespace

Result<ControlPlane::LiveLease*> ControlPlane::find_lease(LeaseId lease, Epoch epoch) {
  const auto found = leases_.find(lease);
  if (found == leases_.end())
    return Error{ErrorCode::not_found, place_of(lease) + ": there is no such lease, or it closed"};
  if (found->second.lease.epoch != epoch)
    return Error{ErrorCode::failed_precondition,
                 place_of(lease) + ": epoch " + std::to_string(epoch.value) +
                     " is fenced; the lease has epoch " +
                     std::to_string(found->second.lease.epoch.value)};
  return &found->second;
}

Result<ControlPlane::LiveLease*> ControlPlane::find_running(LeaseId lease, Epoch epoch) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_lease(lease, epoch));
  if (live->lease.state == LeaseState::stopping)
    return Error{ErrorCode::failed_precondition,
                 place_of(lease) + ": it has ended: " + std::string(name(live->lease.reason))};
  return live;
}

Status ControlPlane::on(Step& step, const RenewLease& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_running(command.lease, command.epoch));
  Lease& lease = live->lease;
  live->client_lost = false;
  if (lease.state == LeaseState::active) {
    lease.expires_at = step.now + lease.terms.expiry_period;
    deadlines_.set({DeadlineKind::lease_expiry, lease.id.value}, lease.expires_at);
  } else {
    // The start deadline rules again; a lost client's grace, if it ran, is over.
    lease.expires_at = lease.granted_at + options_.start_timeout;
    deadlines_.clear({DeadlineKind::lease_expiry, lease.id.value});
  }
  step.act(LeaseRenewed{lease.id, lease.epoch, lease.expires_at});
  return {};
}

Status ControlPlane::on(Step& step, const ReleaseLease& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_running(command.lease, command.epoch));
  end_lease(step, *live, EndReason::released, {ErrorCode::cancelled, "released by its client"});
  return {};
}

Status ControlPlane::on(Step& step, const ClientLost& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_running(command.lease, command.epoch));
  Lease& lease = live->lease;
  live->client_lost = true;
  const Instant grace_ends = step.now + lease.terms.reconnect_grace;
  lease.expires_at = std::min(lease.expires_at, grace_ends);
  deadlines_.set({DeadlineKind::lease_expiry, lease.id.value}, lease.expires_at);
  run_due(step);  // a grace of 0 ends it now
  return {};
}

Status ControlPlane::on(Step& step, const LeaseStarted& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_running(command.lease, command.epoch));
  Lease& lease = live->lease;
  if (live->to_start.erase(command.executor) == 0)
    return Error{ErrorCode::failed_precondition,
                 place_of(lease.id) + ": executor " + std::to_string(command.executor.value) +
                     " was not asked to start it, or has started it already"};
  if (!live->to_start.empty()) return {};
  lease.state = LeaseState::active;
  deadlines_.clear({DeadlineKind::lease_start, lease.id.value});
  if (!live->client_lost) {
    lease.expires_at = step.now + lease.terms.expiry_period;
    deadlines_.set({DeadlineKind::lease_expiry, lease.id.value}, lease.expires_at);
  }
  step.act(LeaseReady{lease.id, lease.epoch, lease.expires_at});
  return {};
}

Status ControlPlane::on(Step& step, const LeaseFailed& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_running(command.lease, command.epoch));
  const auto& devices = live->lease.devices;
  const bool runs_it = std::any_of(devices.begin(), devices.end(), [&](DeviceId device) {
    return device.executor == command.executor;
  });
  if (!runs_it)
    return Error{ErrorCode::permission_denied, place_of(command.lease) + ": executor " +
                                                   std::to_string(command.executor.value) +
                                                   " has no device of it"};
  const bool starting = live->lease.state == LeaseState::starting;
  end_lease(step, *live, starting ? EndReason::start_failed : EndReason::worker_failed,
            Error(command.error).in("executor " + std::to_string(command.executor.value)));
  return {};
}

Status ControlPlane::on(Step& step, const DevicesFreed& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_lease(command.lease, command.epoch));
  if (live->to_free.count(command.executor) == 0)
    return Error{ErrorCode::failed_precondition, place_of(command.lease) + ": executor " +
                                                     std::to_string(command.executor.value) +
                                                     " was not asked to free devices of it"};
  pool_.free(command.executor, command.lease);
  freed(step, *live, command.executor);
  step.pool_changed = true;
  return {};
}

Status ControlPlane::on(Step& step, const ReportUsage& command) {
  PENSTOCK_ASSIGN(LiveLease* const live, find_lease(command.lease, command.epoch));
  const std::int64_t held = held_nanoseconds(live->lease, step.now);
  const std::int64_t before = meter_.usage(command.lease).device_nanoseconds;
  if (!meter_.counted(command.lease, command.sequence) &&
      command.usage.device_nanoseconds > held - before)
    return invalid(place_of(command.lease) + ": usage report " + std::to_string(command.sequence) +
                   ": " + std::to_string(before) + " + " +
                   std::to_string(command.usage.device_nanoseconds) +
                   " device_nanoseconds are more than the " + std::to_string(held) +
                   " that its devices were held");
  PENSTOCK_ASSIGN(
      Counted counted,
      meter_.count({.lease = command.lease, .sequence = command.sequence, .usage = command.usage},
                   step.now));
  if (counted.record) step.persist(*counted.record);
  for (const LedgerEntry& entry : counted.entries) step.persist(entry);
  step.act(UsageCounted{.lease = command.lease,
                        .sequence = command.sequence,
                        .charged = counted.charged,
                        .total = meter_.statement(command.lease)->total});
  return {};
}

/// Fences the lease: from here on only usage reports and DevicesFreed are taken for it. May erase
/// `live`.
void ControlPlane::end_lease(Step& step, LiveLease& live, EndReason reason, Error error) {
  Lease& lease = live.lease;
  PENSTOCK_CHECK(lease.state != LeaseState::stopping, "a lease ends once");
  lease.state = LeaseState::stopping;
  lease.reason = reason;
  lease.expires_at = std::min(lease.expires_at, step.now);
  live.to_start.clear();
  for (const DeadlineKind kind : {DeadlineKind::lease_expiry, DeadlineKind::lease_start})
    deadlines_.clear({kind, lease.id.value});
  for (const DeviceId device : lease.devices)
    if (pool_.find(device.executor) != nullptr) live.to_free.insert(device.executor);

  step.persist(LeaseRecord{.id = lease.id,
                           .epoch = lease.epoch,
                           .account = lease.account,
                           .device_class = lease.terms.device_class,
                           .device_count = lease.terms.device_count,
                           .price = lease.price,
                           .granted_at = lease.granted_at,
                           .ended_at = step.now,
                           .reason = reason});
  step.act(LeaseEnded{lease.id, lease.epoch, lease.account, reason,
                      std::move(error).in(place_of(lease.id))});
  for (const ExecutorId executor : live.to_free) {
    pool_.stop(executor, lease.id);
    step.act(StopOnExecutor{executor, lease.id, lease.epoch});
  }
  deadlines_.set({DeadlineKind::stop_retry, lease.id.value}, step.now + options_.stop_retry_period);
  if (live.to_free.empty()) freed(step, live, {});
}

/// `executor` holds nothing of the lease any more. Closes and erases `live` if it was the last one.
void ControlPlane::freed(Step& step, LiveLease& live, ExecutorId executor) {
  live.to_free.erase(executor);
  if (!live.to_free.empty()) return;
  const LeaseId id = live.lease.id;
  deadlines_.clear({DeadlineKind::stop_retry, id.value});
  const auto held = leases_per_account_.find(live.lease.account);
  if (--held->second == 0) leases_per_account_.erase(held);
  meter_.close(id);
  step.act(LeaseClosed{id, live.lease.epoch});
  leases_.erase(id);
}

}  // namespace penstock::gateway
