#pragma once

#include <string>

#include "base/result.h"

namespace penstock::net {

/// What a failed OpenSSL call means to us. `reason` is SSL_get_error's; `refusal` is our own
/// verdict on the peer's certificate, empty if there is none. Empties this thread's error queue.
Error tls_failure(int reason, const std::string& refusal);

}  // namespace penstock::net
