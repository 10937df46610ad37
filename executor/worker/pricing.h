#pragma once

#include <cstdint>

#include "base/units.h"
#include "schema/wire/convert.h"

namespace penstock::executor {

/// What a lease costs, from its assignment; billionths of the currency unit.
struct Prices {
  std::int64_t per_device_second_nanos = 0;
  std::int64_t per_gib_in_nanos = 0;
  std::int64_t per_gib_out_nanos = 0;
};

/// Device time and bytes at the given prices, in integers; each of the three rounds down.
/// Threads: pure
Money price_of(const Prices& prices, const wire::CallUsage& usage);

}  // namespace penstock::executor
