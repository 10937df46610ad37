#include "gateway/meter/price_table.h"

#include <utility>

namespace penstock::gateway {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kChargeNanosMax = std::int64_t{1} << 62;

bool in_range(std::int64_t nanos) {
  return nanos >= 0 && nanos <= kPriceNanosMax;
}

}  // namespace

Result<Money> charge_for(std::int64_t quantity, std::int64_t nanos_per_unit, std::int64_t unit) {
  PENSTOCK_CHECK(unit > 0);
  if (quantity < 0 || nanos_per_unit < 0)
    return invalid("charge: quantity " + std::to_string(quantity) + " at " +
                   std::to_string(nanos_per_unit) + " billionths: neither may be negative");
  const Wide exact = Wide(quantity) * nanos_per_unit;
  const Wide rounded = (exact + unit / 2) / unit;
  if (rounded > kChargeNanosMax)
    return invalid("charge: quantity " + std::to_string(quantity) + " at " +
                   std::to_string(nanos_per_unit) + " billionths is more than 2^62 billionths");
  return Money{static_cast<std::int64_t>(rounded)};
}

PriceTable PriceTable::standard() {
  constexpr std::int64_t kOutNanosPerGib = 20'000'000;
  PriceTable table;
  table.rows_["cpu"] = {.nanos_per_device_second = 10'000, .nanos_per_gib_out = kOutNanosPerGib};
  table.rows_["gpu"] = {.nanos_per_device_second = 700'000, .nanos_per_gib_out = kOutNanosPerGib};
  table.rows_["null"] = {};  // devices that compute nothing, for trials of pools and plans
  return table;
}

Status PriceTable::set(std::string device_class, Price price) {
  if (device_class.empty() || device_class.size() > kDeviceClassBytesMax)
    return invalid("price table: class '" + device_class.substr(0, kDeviceClassBytesMax) +
                   "' has " + std::to_string(device_class.size()) + " bytes; 1 to " +
                   std::to_string(kDeviceClassBytesMax) + " are allowed");
  if (!in_range(price.nanos_per_device_second) || !in_range(price.nanos_per_gib_in) ||
      !in_range(price.nanos_per_gib_out))
    return invalid("price table: class '" + device_class +
                   "': a price is out of [0, 10^15] billionths");
  rows_[std::move(device_class)] = price;
  return {};
}

std::optional<Price> PriceTable::find(std::string_view device_class) const {
  const auto row = rows_.find(device_class);
  if (row == rows_.end()) return std::nullopt;
  return row->second;
}

std::vector<std::string> PriceTable::classes() const {
  std::vector<std::string> names;
  for (const auto& [device_class, price] : rows_) names.push_back(device_class);
  return names;
}

}  // namespace penstock::gateway
