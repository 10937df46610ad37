#pragma once

#include <string>

#include "penstock/client.h"
#include "sdk/cli/arguments.h"

namespace penstock::cli {

/// The client that the arguments ask for; a local pool has `devices` devices.
Client open_client(const Connection& connection, unsigned devices);

/// What the process ends with when `error` ended its work.
ExitCode exit_code_of(const Error& error);

/// Prints the error for people, or as one JSON line, on standard error.
ExitCode report_error(const Error& error, bool json);

/// `text` as a JSON string, quotes included.
std::string json_string(const std::string& text);

/// Reads "automatic", "direct" or "relay".
Result<LaneKind> parse_lane_kind(const std::string& text);

}  // namespace penstock::cli
