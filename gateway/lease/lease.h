#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "gateway/records.h"

namespace penstock::gateway {

/// What an executor brings: one device.
struct DeviceSpec {
  std::string device_class;  // a row of the price table, such as "cpu"
  std::uint32_t threads = 1;
  std::uint64_t memory_bytes = 0;
  bool operator==(const DeviceSpec&) const = default;
};

/// What a client asks for.
struct LeaseTerms {
  std::uint32_t device_count = 1;
  std::string device_class = "cpu";
  std::uint64_t memory_bytes_min = 0;  // of each device
  Nanoseconds max_wait{0};             // 0: now or never
  Nanoseconds expiry_period = 30s;     // the lease ends this long after its last renewal
  Nanoseconds reconnect_grace = 30s;   // and this long after its client was lost
  bool operator==(const LeaseTerms&) const = default;
};

/// starting: executors are bringing workers up. active: they are up. stopping: it has ended, and
/// some executor has not confirmed yet that its devices are free.
enum class LeaseState { starting, active, stopping };

struct Lease {
  LeaseId id;
  Epoch epoch;
  AccountId account{};
  LeaseTerms terms;
  Price price;
  std::vector<DeviceId> devices;  // rank r runs on devices[r]; an executor's ranks are contiguous
  LeaseState state = LeaseState::starting;
  Instant granted_at{};
  Instant expires_at{};
  EndReason reason = EndReason::none;
  bool operator==(const Lease&) const = default;
};

/// Bounds on everything that comes from outside.
struct Limits {
  std::uint32_t devices_per_lease_max = 1024;
  std::uint32_t devices_per_executor_max = 64;
  std::uint32_t executors_max = 4096;
  std::uint32_t queue_per_account_max = 64;
  std::uint32_t queue_max = 4096;
  std::uint32_t leases_per_account_max = 256;
  std::uint32_t accounts_max = 100'000;
  std::uint32_t credentials_max = 100'000;
  Nanoseconds wait_max = 86400s;
  Nanoseconds expiry_period_min = 1s;
  Nanoseconds expiry_period_max = 3600s;
  Nanoseconds reconnect_grace_max = 3600s;
};

inline constexpr std::size_t kNameBytesMax = 64;
inline constexpr std::uint64_t kMemoryBytesMax = std::uint64_t{1} << 50;
inline constexpr std::uint32_t kThreadsMax = 4096;

std::string_view name(LeaseState state);
std::string_view name(EndReason reason);

/// 1 to kNameBytesMax bytes, printable ASCII without quotes.
/// Errors: invalid_argument that begins with `what`
Status check_name(std::string_view what, std::string_view name);
/// Errors: invalid_argument unless `fingerprint` has 64 lower-case hex digits
Status check_fingerprint(std::string_view fingerprint);
/// Errors: invalid_argument that names the value and its bounds
Status check_terms(const LeaseTerms& terms, const Limits& limits);
Status check_device(const DeviceSpec& device, const PriceTable& prices);

}  // namespace penstock::gateway
