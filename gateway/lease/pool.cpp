#include "gateway/lease/pool.h"

#include <utility>

namespace penstock::gateway {

bool matches(const DeviceSpec& device, const LeaseTerms& terms) {
  return device.device_class == terms.device_class && device.memory_bytes >= terms.memory_bytes_min;
}

void Pool::add(PooledExecutor executor) {
  const ExecutorId id = executor.id;
  PENSTOCK_CHECK(executors_.emplace(id, std::move(executor)).second, "executor id used twice");
}

void Pool::remove(ExecutorId executor) {
  executors_.erase(executor);
}

const PooledExecutor* Pool::find(ExecutorId executor) const {
  const auto found = executors_.find(executor);
  return found == executors_.end() ? nullptr : &found->second;
}

const PooledExecutor* Pool::find_name(std::string_view name) const {
  for (const auto& [id, executor] : executors_)
    if (executor.name == name) return &executor;
  return nullptr;
}

DeviceCount Pool::count(const LeaseTerms& terms) const {
  DeviceCount out;
  for (const auto& [id, executor] : executors_)
    for (const PooledDevice& device : executor.devices) {
      ++out.total;
      if (!matches(device.spec, terms)) continue;
      ++out.matching;
      if (device.state == DeviceState::free) ++out.free;
    }
  return out;
}

void Pool::take(const std::vector<DeviceId>& devices, LeaseId lease) {
  for (const DeviceId id : devices) {
    PooledDevice& device = executors_.at(id.executor).devices.at(id.index);
    PENSTOCK_CHECK(device.state == DeviceState::free && !device.lease, "device is leased already");
    device.state = DeviceState::leased;
    device.lease = lease;
  }
}

void Pool::stop(ExecutorId executor, LeaseId lease) {
  for (PooledDevice& device : executors_.at(executor).devices)
    if (device.lease == lease) device.state = DeviceState::stopping;
}

void Pool::free(ExecutorId executor, LeaseId lease) {
  for (PooledDevice& device : executors_.at(executor).devices) {
    if (device.lease != lease) continue;
    PENSTOCK_CHECK(device.state == DeviceState::stopping, "device freed while its lease runs");
    device.state = DeviceState::free;
    device.lease = {};
  }
}

}  // namespace penstock::gateway
