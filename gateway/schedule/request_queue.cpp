#include "gateway/schedule/request_queue.h"

#include <utility>

namespace penstock::gateway {

void RequestQueue::push(WaitingRequest request) {
  PENSTOCK_CHECK(order_of_.emplace(request.id, next_).second, "request waits already");
  ++per_account_[request.account];
  by_order_.emplace(next_, std::move(request));
  ++next_;
}

void RequestQueue::remove(RequestId request) {
  const auto order = order_of_.find(request);
  if (order == order_of_.end()) return;
  const auto waiting = by_order_.find(order->second);
  const auto account = per_account_.find(waiting->second.account);
  if (--account->second == 0) per_account_.erase(account);
  by_order_.erase(waiting);
  order_of_.erase(order);
}

const WaitingRequest* RequestQueue::find(RequestId request) const {
  const auto order = order_of_.find(request);
  return order == order_of_.end() ? nullptr : &by_order_.at(order->second);
}

std::uint32_t RequestQueue::count(AccountId account) const {
  const auto found = per_account_.find(account);
  return found == per_account_.end() ? 0 : found->second;
}

std::optional<std::uint32_t> RequestQueue::position(RequestId request) const {
  const WaitingRequest* mine = find(request);
  if (mine == nullptr) return std::nullopt;
  std::uint32_t position = 0;
  for (const auto& [order, waiting] : by_order_) {
    if (waiting.terms.device_class == mine->terms.device_class) ++position;
    if (waiting.id == request) break;
  }
  return position;
}

}  // namespace penstock::gateway
