#pragma once

// Precompiled for the sources that speak the protocol.
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/net/coroutine.h"
#include "base/net/rpc_client.h"
#include "schema/wire/gateway.capnp.h"
#include "schema/wire/lane.capnp.h"
