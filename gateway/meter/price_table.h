#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace penstock::gateway {

inline constexpr std::size_t kDeviceClassBytesMax = 32;

/// What one lease pays, fixed when it is granted. Billionths of a dollar, all >= 0.
struct Price {
  std::int64_t nanos_per_device_second = 0;
  std::int64_t nanos_per_gib_in = 0;
  std::int64_t nanos_per_gib_out = 0;
  bool operator==(const Price&) const = default;
};

/// The most that one price may be: a million dollars. Keeps every product below 2^127.
inline constexpr std::int64_t kPriceNanosMax = 1'000'000'000'000'000;

/// round(quantity * nanos_per_unit / unit), halves upwards: the only rounding that money sees.
/// Units:   `quantity` in the unit's parts (nanoseconds of a second, bytes of a GiB)
/// Errors:  invalid_argument for a negative quantity or price, and past 2^62 billionths
/// Threads: pure
Result<Money> charge_for(std::int64_t quantity, std::int64_t nanos_per_unit, std::int64_t unit);

/// Prices per device class. A class without a row cannot join the pool.
class PriceTable {
 public:
  /// cpu $0.036 and gpu $2.52 per device-hour; bytes in are free, out $0.02 per GiB.
  static PriceTable standard();

  /// Errors: invalid_argument for an empty or too long class and a price out of [0, kPriceNanosMax]
  Status set(std::string device_class, Price price);
  std::optional<Price> find(std::string_view device_class) const;
  /// The classes that have a row, in order.
  std::vector<std::string> classes() const;

 private:
  std::map<std::string, Price, std::less<>> rows_;
};

}  // namespace penstock::gateway
