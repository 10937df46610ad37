#include "sdk/cli/connection.h"

#include <cstdio>
#include <iostream>

namespace penstock::cli {

Client open_client(const Connection& connection, unsigned devices) {
  if (!connection.local) return Client::connect({.url = connection.url, .key = connection.key});
  return Client::local({.devices = devices,
                        .threads = connection.threads,
                        .memory_bytes = value_or_throw(parse_bytes(connection.memory)),
                        .trace = connection.trace});
}

ExitCode exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::unavailable:
    case ErrorCode::deadline_exceeded:
      return ExitCode::no_connection;
    case ErrorCode::unauthenticated:
    case ErrorCode::permission_denied:
    case ErrorCode::resource_exhausted:
      return ExitCode::refused;
    case ErrorCode::cancelled:
      return ExitCode::interrupted;
    default:
      return ExitCode::failed;
  }
}

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

ExitCode report_error(const Error& error, bool json) {
  const ExitCode code = exit_code_of(error);
  if (json)
    std::cerr << "{\"error\":" << json_string(std::string(name(error.code)))
              << ",\"message\":" << json_string(error.message)
              << ",\"remedy\":" << json_string(std::string(name(remedy(error.code)))) << "}\n";
  else
    std::cerr << "penstock: " << error.message << "\n(" << name(error.code) << ": "
              << name(remedy(error.code)) << ")\n";
  return code;
}

Result<LaneKind> parse_lane_kind(const std::string& text) {
  for (const LaneKind kind : {LaneKind::automatic, LaneKind::direct, LaneKind::relay})
    if (text == name(kind)) return kind;
  return invalid("lane '" + text + "': use automatic, direct or relay");
}

}  // namespace penstock::cli
