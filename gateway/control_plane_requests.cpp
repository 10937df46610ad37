#include <algorithm>
#include <utility>

#include "gateway/control_plane.h"
#include "gateway/schedule/placement.h"

/// Requests for leases: admission, the queue, granting.
namespace penstock::gateway {
namespace {

std::string place_of(RequestId request) {
  return "lease request " + std::to_string(request.value);
}

std::string wanted(const LeaseTerms& terms) {
  std::string out = std::to_string(terms.device_count) +
                    (terms.device_count == 1 ? " device" : " devices") + " of class " +
                    terms.device_class;
  if (terms.memory_bytes_min > 0)
    out += " with at least " + format_bytes(terms.memory_bytes_min) + " each";
  return out;
}

}  // namespace

Status ControlPlane::on(Step& step, const RequestLease& command) {
  if (!command.request || queue_.contains(command.request))
    return Error{ErrorCode::already_exists,
                 place_of(command.request) + ": this number is 0 or waits already"};
  Status admitted = admit(command);
  if (admitted.ok()) admitted = possible(command.terms);
  if (!admitted.ok()) {
    refuse_request(step, command.request, std::move(admitted).error());
    return {};
  }
  const WaitingRequest request{command.request, command.account, command.terms, step.now};
  queue_.push(request);
  schedule(step);
  if (!queue_.contains(request.id)) return {};
  const std::string reason = why_waiting(request);
  if (request.terms.max_wait == 0s) {
    refuse_request(step, request.id,
                   {ErrorCode::resource_exhausted, "max_wait is 0 and " + reason});
    return {};
  }
  deadlines_.set({DeadlineKind::request_wait, request.id.value}, step.now + request.terms.max_wait);
  step.act(RequestQueued{request.id, *queue_.position(request.id), reason});
  return {};
}

Status ControlPlane::on(Step& step, const CancelRequest& command) {
  if (!queue_.contains(command.request))
    return Error{ErrorCode::not_found, place_of(command.request) +
                                           ": it does not wait; if it was granted, release its "
                                           "lease"};
  queue_.remove(command.request);
  deadlines_.clear({DeadlineKind::request_wait, command.request.value});
  step.pool_changed = true;
  return {};
}

Status ControlPlane::admit(const RequestLease& command) const {
  const AccountRecord* owner = account(command.account);
  if (owner == nullptr || owner->revoked_at != Instant{})
    return Error{ErrorCode::permission_denied,
                 "there is no account " + std::to_string(command.account.value)};
  const Limits& limits = options_.limits;
  PENSTOCK_TRY(check_terms(command.terms, limits));
  const auto held = leases_per_account_.find(command.account);
  const std::uint32_t leases = held == leases_per_account_.end() ? 0 : held->second;
  const std::uint32_t waiting = queue_.count(command.account);
  if (leases + waiting >= limits.leases_per_account_max)
    return Error{ErrorCode::resource_exhausted, "account '" + owner->name + "' has " +
                                                    std::to_string(leases) + " leases and " +
                                                    std::to_string(waiting) + " requests; " +
                                                    std::to_string(limits.leases_per_account_max) +
                                                    " together are the limit: release some"};
  if (waiting >= limits.queue_per_account_max)
    return Error{ErrorCode::resource_exhausted, "account '" + owner->name + "' has " +
                                                    std::to_string(waiting) +
                                                    " waiting requests; the limit is " +
                                                    std::to_string(limits.queue_per_account_max)};
  if (queue_.size() >= limits.queue_max)
    return Error{
        ErrorCode::resource_exhausted,
        "the queue is full with " + std::to_string(queue_.size()) + " requests; try again later"};
  return {};
}

/// Whether the pool could ever meet `terms`, were all its devices free.
Status ControlPlane::possible(const LeaseTerms& terms) const {
  const DeviceCount count = pool_.count(terms);
  if (count.total == 0)
    return Error{ErrorCode::unavailable,
                 wanted(terms) + " wanted, but the pool has no device yet; start an executor"};
  if (count.matching >= terms.device_count) return {};
  return invalid(wanted(terms) + " wanted; the pool has " + std::to_string(count.matching) +
                 " such devices among its " + std::to_string(count.total) + ": ask for less");
}

std::string ControlPlane::why_waiting(const WaitingRequest& request) const {
  const std::uint32_t ahead = queue_.position(request.id).value_or(1) - 1;
  const DeviceCount count = pool_.count(request.terms);
  std::string out = wanted(request.terms) + " wanted, " + std::to_string(count.free) + " of " +
                    std::to_string(count.matching) + " such devices are free";
  if (ahead > 0)
    out +=
        ", " + std::to_string(ahead) + (ahead == 1 ? " request is ahead" : " requests are ahead");
  return out;
}

std::optional<QueuePlace> ControlPlane::queue_place(RequestId request) const {
  const WaitingRequest* waiting = queue_.find(request);
  if (waiting == nullptr) return std::nullopt;
  return QueuePlace{*queue_.position(request), why_waiting(*waiting)};
}

/// After devices left the pool.
void ControlPlane::refuse_impossible(Step& step) {
  std::vector<std::pair<RequestId, Error>> gone;
  for (const auto& [order, waiting] : queue_.in_order())
    if (auto status = possible(waiting.terms); !status.ok())
      gone.emplace_back(waiting.id, Error{ErrorCode::unavailable,
                                          "devices left the pool: " + status.error().message});
  for (auto& [request, error] : gone) refuse_request(step, request, std::move(error));
}

void ControlPlane::refuse_request(Step& step, RequestId request, Error error) {
  queue_.remove(request);
  deadlines_.clear({DeadlineKind::request_wait, request.value});
  step.act(RequestRefused{request, std::move(error).in(place_of(request))});
}

/// First come, first served: of each device class, nobody is granted past one who waits.
void ControlPlane::schedule(Step& step) {
  std::set<std::string> blocked;
  std::vector<RequestId> granted;
  for (const auto& [order, waiting] : queue_.in_order()) {
    if (blocked.count(waiting.terms.device_class) > 0) continue;
    auto devices = place(pool_, waiting.terms);
    if (!devices) {
      blocked.insert(waiting.terms.device_class);
      continue;
    }
    // Taken now, so that the next request of the line sees them gone.
    const LeaseId id{lease_counter_.take()};
    pool_.take(*devices, id);
    grant(step, waiting, id, std::move(*devices));
    granted.push_back(waiting.id);
  }
  for (const RequestId request : granted) {
    queue_.remove(request);
    deadlines_.clear({DeadlineKind::request_wait, request.value});
  }
}

void ControlPlane::grant(Step& step, const WaitingRequest& request, LeaseId id,
                         std::vector<DeviceId> devices) {
  LiveLease live;
  live.lease = {.id = id,
                .epoch = Epoch{epoch_counter_.take()},
                .account = request.account,
                .terms = request.terms,
                .price = *prices_.find(request.terms.device_class),
                .devices = std::move(devices),
                .state = LeaseState::starting,
                .granted_at = step.now,
                .expires_at = step.now + options_.start_timeout,
                .reason = EndReason::none};
  const Lease& lease = live.lease;
  std::vector<StartOnExecutor> starts;
  for (std::uint32_t rank = 0; rank < lease.devices.size(); ++rank) {
    const DeviceId device = lease.devices[rank];
    if (starts.empty() || starts.back().executor != device.executor)
      starts.push_back({device.executor,
                        id,
                        lease.epoch,
                        lease.account,
                        static_cast<std::uint32_t>(lease.devices.size()),
                        {}});
    starts.back().ranks.push_back({rank, device.index});
    live.to_start.insert(device.executor);
  }
  const LeaseRecord record{.id = id,
                           .epoch = lease.epoch,
                           .account = lease.account,
                           .device_class = lease.terms.device_class,
                           .device_count = lease.terms.device_count,
                           .price = lease.price,
                           .granted_at = step.now,
                           .ended_at = {},
                           .reason = EndReason::none};
  meter_.open(record);
  ++leases_per_account_[lease.account];
  deadlines_.set({DeadlineKind::lease_start, id.value}, lease.expires_at);
  step.persist(record);
  step.act(RequestGranted{request.id, lease});
  for (StartOnExecutor& start : starts) step.act(std::move(start));
  leases_.emplace(id, std::move(live));
}

}  // namespace penstock::gateway
