#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "schema/wire/common.capnp.h"

namespace penstock::wire {

/// The protocol that this build speaks (docs/protocol.md has the compatibility rule).
inline constexpr std::uint32_t kProtocolMajor = 1;
inline constexpr std::uint32_t kProtocolMinor = 0;

void set_own_version(Version::Builder version);

/// Whether this build can talk to a peer of that version; `peer` says who it is ("gateway", "SDK").
/// Errors: failed_precondition naming both versions and which side to update.
Status check_version(Version::Reader version, std::string_view peer);

}  // namespace penstock::wire
