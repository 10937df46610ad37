#include "executor/collectives/peer_address.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace penstock::collectives {
namespace {

constexpr std::string_view kMagic = "PSKADDR1";
constexpr std::size_t kBootIdBytes = 36;
constexpr std::size_t kHeaderBytes = kMagic.size() + kBootIdBytes + 16;
constexpr std::size_t kAddressBytesMax = 64 * 1024;

std::string as_bytes(std::uint64_t value) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

std::uint64_t as_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

std::string of_lease(const Hello& hello) {
  return "lease " + std::to_string(hello.lease.value) + " epoch " +
         std::to_string(hello.epoch.value);
}

}  // namespace

Result<ProcessIdentity> this_process() {
  ProcessIdentity identity;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  file >> identity.boot_id;
  if (identity.boot_id.size() != kBootIdBytes)
    return Error{ErrorCode::unavailable,
                 "cannot read /proc/sys/kernel/random/boot_id; is /proc mounted?"};
  struct stat status {};
  if (stat("/proc/self/ns/pid", &status) != 0)
    return Error{ErrorCode::unavailable,
                 std::string("cannot read /proc/self/ns/pid: ") + std::strerror(errno)};
  identity.pid_namespace = status.st_ino;
  identity.pid = static_cast<std::uint64_t>(getpid());
  return identity;
}

std::string encode(const PeerAddress& address) {
  PENSTOCK_CHECK(address.process.boot_id.size() == kBootIdBytes);
  return std::string(kMagic) + address.process.boot_id + as_bytes(address.process.pid_namespace) +
         as_bytes(address.process.pid) + address.transport;
}

Result<PeerAddress> decode_peer_address(std::string_view bytes) {
  if (bytes.size() <= kHeaderBytes || bytes.size() > kAddressBytesMax ||
      bytes.substr(0, kMagic.size()) != kMagic)
    return invalid("a peer address of " + std::to_string(bytes.size()) +
                   " bytes is not one that this version publishes");
  bytes.remove_prefix(kMagic.size());
  PeerAddress address;
  address.process.boot_id = bytes.substr(0, kBootIdBytes);
  address.process.pid_namespace = as_number(bytes.substr(kBootIdBytes, 8));
  address.process.pid = as_number(bytes.substr(kBootIdBytes + 8, 8));
  address.transport = bytes.substr(kBootIdBytes + 16);
  return address;
}

Status check_hello(const Hello& mine, const Hello& theirs, Rank expected) {
  const std::string peer = "rank " + std::to_string(expected);
  if (theirs.magic != mine.magic)
    return Error{ErrorCode::failed_precondition,
                 "connect: " + peer + " speaks another version of the worker protocol"};
  if (theirs.lease != mine.lease || theirs.epoch != mine.epoch)
    return Error{ErrorCode::permission_denied, "connect: " + peer + " carries " + of_lease(theirs) +
                                                   ", this rank carries " + of_lease(mine) +
                                                   "; one of them is fenced off"};
  if (theirs.rank != expected || theirs.size != mine.size)
    return Error{ErrorCode::permission_denied,
                 "connect: " + peer + " of " + std::to_string(mine.size) + " calls itself rank " +
                     std::to_string(theirs.rank) + " of " + std::to_string(theirs.size)};
  return {};
}

}  // namespace penstock::collectives
