#pragma once

#include <sys/types.h>

#include "base/net/child_process.h"

namespace penstock::net {

/// Starts the process that `options` describe and gives its number. The caller reaps it.
Result<pid_t> start_process(const ChildOptions& options);

}  // namespace penstock::net
