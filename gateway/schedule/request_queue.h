#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"
#include "gateway/lease/lease.h"

namespace penstock::gateway {

struct WaitingRequest {
  RequestId id;
  AccountId account;
  LeaseTerms terms;
  Instant requested_at;
};

/// Requests in order of arrival.
class RequestQueue {
 public:
  void push(WaitingRequest request);
  /// Nothing happens if it does not wait.
  void remove(RequestId request);
  bool contains(RequestId request) const { return order_of_.count(request) > 0; }
  const WaitingRequest* find(RequestId request) const;
  std::size_t size() const { return by_order_.size(); }
  std::uint32_t count(AccountId account) const;
  /// 1 for the first; none if it does not wait. Every device class has its own line.
  std::optional<std::uint32_t> position(RequestId request) const;
  /// Keyed by arrival.
  const std::map<std::uint64_t, WaitingRequest>& in_order() const { return by_order_; }

 private:
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, WaitingRequest> by_order_;
  std::map<RequestId, std::uint64_t> order_of_;
  std::map<AccountId, std::uint32_t> per_account_;
};

}  // namespace penstock::gateway
