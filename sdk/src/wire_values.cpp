#include "sdk/src/wire_values.h"

#include "schema/wire/convert.h"

namespace penstock::detail {

LeasedDevice read_device(wire::LeasedDevice::Reader in) {
  return {wire::to_string(in.getExecutor()), in.getIndex(), wire::to_string(in.getClass()),
          in.getMemoryBytes(), in.getThreads()};
}

LeaseInfo read_lease_info(wire::LeaseInfo::Reader in) {
  LeaseInfo info;
  info.lease = in.getLease();
  info.epoch = in.getEpoch();
  for (const auto device : in.getDevices()) info.devices.push_back(read_device(device));
  const auto price = in.getPrice();
  info.price = {Money{price.getPerDeviceSecondNanos()}, Money{price.getPerGibInNanos()},
                Money{price.getPerGibOutNanos()}, wire::to_string(price.getCurrency())};
  info.queued = Nanoseconds(in.getQueuedNs());
  info.expires_unix_ns = in.getExpiresUnixNs();
  return info;
}

Usage read_usage(wire::Usage::Reader in) {
  const wire::CallUsage usage = wire::read(in);
  return {Nanoseconds(usage.device_ns), usage.bytes_in, usage.bytes_out, usage.steps, usage.price};
}

Bill read_bill(wire::Bill::Reader in) {
  Bill bill;
  for (const auto line : in.getLines())
    bill.lines.push_back({wire::to_string(line.getWhat()), line.getQuantity(),
                          wire::to_string(line.getUnit()), Money{line.getAmountNanos()}});
  bill.usage = read_usage(in.getUsage());
  bill.total = Money{in.getTotalNanos()};
  bill.currency = wire::to_string(in.getCurrency());
  return bill;
}

}  // namespace penstock::detail
