#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/units.h"

namespace penstock::gateway {

/// What happens by itself when its time comes. At one instant the earlier kind goes first.
enum class DeadlineKind { executor_heartbeat, lease_expiry, lease_start, stop_retry, request_wait };

struct DeadlineKey {
  DeadlineKind kind = DeadlineKind::request_wait;
  std::uint64_t id = 0;  // of the executor, lease or request
  auto operator<=>(const DeadlineKey&) const = default;
};

/// At most one instant per key, and the earliest of all at hand.
class Deadlines {
 public:
  void set(DeadlineKey key, Instant at);
  void clear(DeadlineKey key);
  std::optional<Instant> next() const;
  /// Takes out the earliest deadline at or before `now`.
  std::optional<DeadlineKey> take_due(Instant now);

 private:
  std::map<DeadlineKey, Instant> at_;
  std::set<std::pair<Instant, DeadlineKey>> order_;
};

}  // namespace penstock::gateway
