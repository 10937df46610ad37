#include "gateway/schedule/deadlines.h"

namespace penstock::gateway {

void Deadlines::set(DeadlineKey key, Instant at) {
  clear(key);
  at_[key] = at;
  order_.insert({at, key});
}

void Deadlines::clear(DeadlineKey key) {
  const auto found = at_.find(key);
  if (found == at_.end()) return;
  order_.erase({found->second, key});
  at_.erase(found);
}

std::optional<Instant> Deadlines::next() const {
  if (order_.empty()) return std::nullopt;
  return order_.begin()->first;
}

std::optional<DeadlineKey> Deadlines::take_due(Instant now) {
  if (order_.empty() || order_.begin()->first > now) return std::nullopt;
  const DeadlineKey key = order_.begin()->second;
  clear(key);
  return key;
}

}  // namespace penstock::gateway
