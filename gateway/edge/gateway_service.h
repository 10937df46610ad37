#pragma once

#include "base/net/rpc_server.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::gateway {

class Shell;

/// The bootstrap capability of one connection: hello, login, register.
wire::Gateway::Client make_gateway_service(Shell& shell, const net::PeerInfo& peer);

}  // namespace penstock::gateway
