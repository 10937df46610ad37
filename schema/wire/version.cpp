#include "schema/wire/version.h"

namespace penstock::wire {
namespace {

constexpr std::string_view kSoftware = "penstock 0.1.0";

// A peer's text goes into our messages: bounded, and without control characters.
std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 64)) out += c >= ' ' && c <= '~' ? c : '?';
  return out;
}

}  // namespace

void set_own_version(Version::Builder version) {
  version.setMajor(kProtocolMajor);
  version.setMinor(kProtocolMinor);
  version.setSoftware(kj::StringPtr(kSoftware.data(), kSoftware.size()));
}

Status check_version(Version::Reader version, std::string_view peer) {
  if (version.getMajor() == kProtocolMajor) return {};
  const auto software = version.getSoftware();
  const bool peer_is_older = version.getMajor() < kProtocolMajor;
  const std::string who(peer);
  return Error{ErrorCode::failed_precondition,
               "protocol versions differ: the " + who + " (" +
                   printable({software.cStr(), software.size()}) + ") speaks " +
                   std::to_string(version.getMajor()) + "." + std::to_string(version.getMinor()) +
                   ", this side (" + std::string(kSoftware) + ") speaks " +
                   std::to_string(kProtocolMajor) + "." + std::to_string(kProtocolMinor) +
                   "; update " + (peer_is_older ? "the " + who : std::string("this side"))};
}

}  // namespace penstock::wire
