#include "executor/collectives/transport.h"

#include <cstdio>

namespace penstock::collectives {
namespace {

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

Status check_envelope(const Transport& transport, Envelope envelope, const char* operation) {
  const std::string peer = std::to_string(envelope.peer);
  if (envelope.peer >= transport.size())
    return invalid(std::string(operation) + ": rank " + peer + " is outside the mesh of " +
                   std::to_string(transport.size()) + " ranks");
  if (envelope.peer == transport.rank())
    return invalid(std::string(operation) + ": rank " + peer + " cannot send to itself");
  if (envelope.tag >> kTagBits != 0)
    return invalid(std::string(operation) + ": tag " + hex(envelope.tag) + " has more than " +
                   std::to_string(kTagBits) + " bits");
  return {};
}

Error peer_failed(Rank rank, const std::string& reason) {
  return {ErrorCode::unavailable, "rank " + std::to_string(rank) + " failed: " + reason};
}

Error size_mismatch(Envelope from, std::uint64_t arrived, std::uint64_t expected) {
  return {ErrorCode::data_loss, "receive from rank " + std::to_string(from.peer) + " (tag " +
                                    hex(from.tag) + "): " + std::to_string(arrived) +
                                    " bytes arrived, " + std::to_string(expected) +
                                    " were expected; do all ranks run the same plan?"};
}

}  // namespace penstock::collectives
