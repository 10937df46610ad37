#include "executor/worker/pricing.h"

namespace penstock::executor {
namespace {

std::int64_t scaled(std::int64_t amount, std::int64_t price, std::int64_t per) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(Wide{amount} * price / per);
}

}  // namespace

Money price_of(const Prices& prices, const wire::CallUsage& usage) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr auto kGib = static_cast<std::int64_t>(kGiB);
  return Money{scaled(usage.device_ns, prices.per_device_second_nanos, kSecond) +
               scaled(usage.bytes_in, prices.per_gib_in_nanos, kGib) +
               scaled(usage.bytes_out, prices.per_gib_out_nanos, kGib)};
}

}  // namespace penstock::executor
