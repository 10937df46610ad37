#pragma once

#include <kj/async-io.h>

#include <string>

#include "base/units.h"

namespace penstock::net {

/// "10.0.0.7:4711", "[::1]:4711", "unix:/path", "unix peer" or, where the stream knows no address,
/// "a pipe". Never throws.
std::string peer_name(kj::AsyncIoStream& stream);

/// For TCP: sends small messages at once, and breaks the connection when what was sent stays
/// unacknowledged for `unacknowledged_max`. Does nothing on other streams.
void tune_for_rpc(kj::AsyncIoStream& stream, Nanoseconds unacknowledged_max);

}  // namespace penstock::net
