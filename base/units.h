#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace penstock {

using Nanoseconds = std::chrono::nanoseconds;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

/// A moment of an injected clock, in nanoseconds since that clock's own zero.
struct Instant {
  std::int64_t ns = 0;
  constexpr auto operator<=>(const Instant&) const = default;
};
constexpr Instant operator+(Instant at, Nanoseconds span) {
  return {at.ns + span.count()};
}
constexpr Instant operator-(Instant at, Nanoseconds span) {
  return {at.ns - span.count()};
}
constexpr Nanoseconds operator-(Instant a, Instant b) {
  return Nanoseconds(a.ns - b.ns);
}

/// An amount of money: billionths of the pool's currency unit (one US dollar by default).
struct Money {
  std::int64_t nanos = 0;
  constexpr auto operator<=>(const Money&) const = default;
};
constexpr Money operator+(Money a, Money b) {
  return {a.nanos + b.nanos};
}
constexpr Money operator-(Money a) {
  return {-a.nanos};
}

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;

/// Reads "512", "64KiB", "2GiB" or "1.5GiB" (binary) or "2GB" (decimal) as bytes.
/// Errors: invalid_argument for anything else, and for more than 2^62 bytes.
Result<std::uint64_t> parse_bytes(std::string_view text);

/// "512 B", "1.5 MiB": at most three significant digits, binary units.
std::string format_bytes(std::uint64_t bytes);

/// "1.23 ms", "4.5 s", "2 min 3 s".
std::string format_duration(Nanoseconds span);

/// "$0.000123": as many decimals as it takes to show three digits, at least two.
std::string format_money(Money amount);

/// a*b, a+b with overflow told. Threads: pure
Result<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
Result<std::int64_t> checked_add(std::int64_t a, std::int64_t b);

}  // namespace penstock
