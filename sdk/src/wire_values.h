#pragma once

#include "penstock/client.h"
#include "penstock/lease.h"
#include "penstock/report.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::detail {

/// What the gateway answers, as values.
LeaseInfo read_lease_info(wire::LeaseInfo::Reader in);
LeasedDevice read_device(wire::LeasedDevice::Reader in);
Bill read_bill(wire::Bill::Reader in);
Usage read_usage(wire::Usage::Reader in);

}  // namespace penstock::detail
