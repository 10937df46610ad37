#pragma once

#include <kj/async.h>

#include "base/ids.h"
#include "schema/wire/gateway.capnp.h"

namespace penstock::gateway {

class Shell;

/// Who has logged in.
struct Caller {
  AccountId account;
  KeyId key;
  bool administrator = false;
};

/// The session of one login. Revoking its key ends it.
wire::Session::Client make_session_service(Shell& shell, Caller caller);

}  // namespace penstock::gateway
