#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/net/address.h"
#include "base/result.h"

namespace penstock::detail {

/// Where settings that are not in the program come from: the environment and small files. Tests
/// give their own.
struct Surroundings {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::function<Result<std::string>(const std::string& path)> read_file;
};
Surroundings process_surroundings();

/// The gateway that `url`, or PENSTOCK_URL if that is empty, names; with its fingerprint unless it
/// is a Unix socket.
/// Errors: invalid_argument that says what to set
Result<net::Address> gateway_address(const std::string& url, const Surroundings& surroundings);

/// `key`, or PENSTOCK_KEY. Errors: unauthenticated that says what to set
Result<std::string> api_key(const std::string& key, const Surroundings& surroundings);

/// The fingerprint of `gateway` ("host:port") in lines of `host:port fingerprint`; a line with a
/// fingerprint alone stands for every gateway. `#` begins a comment.
/// Errors: not_found; invalid_argument for a line that is neither
Result<std::string> find_fingerprint(const std::string& text, const std::string& gateway);

}  // namespace penstock::detail
