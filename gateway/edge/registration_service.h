#pragma once

#include <string>

#include "base/ids.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::gateway {

class Shell;

/// Checks what an executor says of itself and takes it into the pool.
/// Errors: what the control plane or the token check refuses, at the RPC border
wire::Registration::Client register_executor(Shell& shell, KeyId join_token,
                                             const std::string& fingerprint,
                                             wire::ExecutorDescription::Reader description,
                                             wire::Agent::Client agent);

}  // namespace penstock::gateway
