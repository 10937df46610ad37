#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace penstock {

/// A number that names one thing of one kind; ids of two kinds do not mix. 0 names nothing.
template <class Tag>
struct Id {
  std::uint64_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

using AccountId = Id<struct AccountTag>;
using KeyId = Id<struct KeyTag>;
using SessionId = Id<struct SessionTag>;
using ExecutorId = Id<struct ExecutorTag>;
using LeaseId = Id<struct LeaseTag>;
using RequestId = Id<struct RequestTag>;
using LaneId = Id<struct LaneTag>;

/// The fencing number of a lease: what carries an older epoch is refused.
using Epoch = Id<struct EpochTag>;

/// One device of the pool: the executor that owns it and its index there, from 0.
struct DeviceId {
  ExecutorId executor;
  std::uint32_t index = 0;
  constexpr auto operator<=>(const DeviceId&) const = default;
};

}  // namespace penstock

template <class Tag>
struct std::hash<penstock::Id<Tag>> {
  std::size_t operator()(const penstock::Id<Tag>& id) const noexcept {
    return std::hash<std::uint64_t>()(id.value);
  }
};
