#pragma once

#include "base/ids.h"
#include "gateway/meter/usage_meter.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::gateway {

/// A lease's statement as the client reads it: every line with its quantity, unit and amount.
void fill_bill(wire::Bill::Builder out, const UsageMeter& meter, LeaseId lease);

void fill_usage(wire::Usage::Builder out, const Usage& usage, Money amount);

}  // namespace penstock::gateway
