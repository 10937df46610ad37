#pragma once

#include <kj/async-io.h>

#include <functional>
#include <string>

namespace penstock::gateway {

/// Answers GET /healthz with `report()` as JSON and status 200; any other path with 404. Serves
/// until the promise is dropped.
kj::Promise<void> serve_health(kj::Timer& timer, kj::Own<kj::ConnectionReceiver> listener,
                               std::function<std::string()> report);

}  // namespace penstock::gateway
