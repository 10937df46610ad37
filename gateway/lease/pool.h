#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "gateway/lease/lease.h"

namespace penstock::gateway {

/// free -> leased -> stopping -> free, the last step by the executor's confirmation only.
enum class DeviceState { free, leased, stopping };

struct PooledDevice {
  DeviceSpec spec;
  DeviceState state = DeviceState::free;
  LeaseId lease;  // none when free
};

struct PooledExecutor {
  ExecutorId id;
  std::string name;
  std::string fingerprint;
  std::vector<PooledDevice> devices;
};

/// How many devices of the pool a request could use.
struct DeviceCount {
  std::uint32_t total = 0;     // of any kind
  std::uint32_t matching = 0;  // right class and enough memory
  std::uint32_t free = 0;      // matching and free
};

/// The connected executors and who holds each of their devices. Moves that would put a device into
/// two leases are failed checks.
class Pool {
 public:
  void add(PooledExecutor executor);
  void remove(ExecutorId executor);

  const PooledExecutor* find(ExecutorId executor) const;
  const PooledExecutor* find_name(std::string_view name) const;
  const std::map<ExecutorId, PooledExecutor>& executors() const { return executors_; }
  DeviceCount count(const LeaseTerms& terms) const;

  void take(const std::vector<DeviceId>& devices, LeaseId lease);
  /// The lease's devices on `executor` wait for its confirmation.
  void stop(ExecutorId executor, LeaseId lease);
  /// The lease's devices on `executor` are free.
  void free(ExecutorId executor, LeaseId lease);

 private:
  std::map<ExecutorId, PooledExecutor> executors_;
};

bool matches(const DeviceSpec& device, const LeaseTerms& terms);

}  // namespace penstock::gateway
