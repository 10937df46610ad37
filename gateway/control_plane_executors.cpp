#include <utility>

#include "gateway/control_plane.h"

/// Executors: joining, heartbeats, loss.
namespace penstock::gateway {

Status ControlPlane::on(Step& step, const RegisterExecutor& command) {
  PENSTOCK_TRY(check_name("register executor: name", command.name));
  const std::string place = "register executor '" + command.name + "'";
  if (auto status = check_fingerprint(command.fingerprint); !status.ok())
    return std::move(status).error().in(place);
  const Limits& limits = options_.limits;
  if (command.devices.empty() || command.devices.size() > limits.devices_per_executor_max)
    return invalid(place + ": it brings " + std::to_string(command.devices.size()) +
                   " devices; 1 to " + std::to_string(limits.devices_per_executor_max) +
                   " are allowed");
  for (std::size_t i = 0; i < command.devices.size(); ++i)
    if (auto status = check_device(command.devices[i], prices_); !status.ok())
      return std::move(status).error().in(place + ": device " + std::to_string(i));
  const PooledExecutor* earlier = pool_.find_name(command.name);
  if (earlier != nullptr && earlier->fingerprint != command.fingerprint)
    return Error{ErrorCode::already_exists,
                 place + ": an executor with another certificate is connected under this name"};
  if (earlier == nullptr && pool_.executors().size() >= limits.executors_max)
    return Error{
        ErrorCode::resource_exhausted,
        place + ": the limit of " + std::to_string(limits.executors_max) + " executors is reached"};
  if (auto status = redeem(step, command.join_token, command.fingerprint); !status.ok())
    return std::move(status).error().in(place);

  if (earlier != nullptr) {
    const ExecutorId old = earlier->id;
    const Error why{ErrorCode::unavailable, "executor '" + command.name + "' has dialled in again"};
    step.act(DropExecutor{old, why});
    lose_executor(step, old, why);
  }
  PooledExecutor executor{
      ExecutorId{executor_counter_.take()}, command.name, command.fingerprint, {}};
  for (const DeviceSpec& spec : command.devices)
    executor.devices.push_back({.spec = spec, .state = DeviceState::free, .lease = {}});
  const ExecutorId id = executor.id;
  pool_.add(std::move(executor));
  deadlines_.set({DeadlineKind::executor_heartbeat, id.value},
                 step.now + options_.heartbeat_timeout);
  step.persist(ExecutorRecord{command.fingerprint, command.name, id, step.now});
  step.act(ExecutorJoined{id, command.name});
  step.pool_changed = true;
  return {};
}

Status ControlPlane::on(Step& step, const Heartbeat& command) {
  if (pool_.find(command.executor) == nullptr)
    return Error{ErrorCode::not_found, "heartbeat of executor " +
                                           std::to_string(command.executor.value) +
                                           ": it is not in the pool; register again"};
  deadlines_.set({DeadlineKind::executor_heartbeat, command.executor.value},
                 step.now + options_.heartbeat_timeout);
  return {};
}

Status ControlPlane::on(Step& step, const ExecutorLost& command) {
  if (pool_.find(command.executor) == nullptr)
    return Error{
        ErrorCode::not_found,
        "loss of executor " + std::to_string(command.executor.value) + ": it is not in the pool"};
  lose_executor(step, command.executor, {ErrorCode::unavailable, command.why});
  return {};
}

/// Its devices leave the pool with it; its leases end, and wait for their other executors only.
void ControlPlane::lose_executor(Step& step, ExecutorId executor, const Error& why) {
  const std::string name = pool_.find(executor)->name;
  std::set<LeaseId> touched;
  for (const PooledDevice& device : pool_.find(executor)->devices)
    if (device.lease) touched.insert(device.lease);
  pool_.remove(executor);
  deadlines_.clear({DeadlineKind::executor_heartbeat, executor.value});
  for (const LeaseId id : touched) {
    LiveLease& live = leases_.at(id);
    if (live.lease.state != LeaseState::stopping)
      end_lease(step, live, EndReason::executor_lost,
                {why.code, "executor '" + name + "' was lost: " + why.message});
    else
      freed(step, live, executor);
  }
  refuse_impossible(step);
  step.pool_changed = true;
}

}  // namespace penstock::gateway
