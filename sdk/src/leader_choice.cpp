#include "sdk/src/leader_choice.h"

#include <sys/stat.h>

#include "base/net/coroutine.h"
#include "schema/wire/convert.h"
#include "schema/wire/version.h"

namespace penstock::detail {
namespace {

constexpr unsigned kAddressesMax = 8;

net::Task<LeaderChoice> knock(net::EventLoop& loop, net::Address address, std::string fingerprint,
                              std::vector<std::byte> ticket, net::Identity identity,
                              Nanoseconds patience) {
  net::RpcClientOptions options;
  options.deadline = patience;
  std::unique_ptr<net::TlsContext> tls;
  if (!address.is_unix()) {
    net::TlsOptions pinned;
    pinned.identity = identity;
    pinned.peer = net::PeerCertificate::pinned;
    pinned.pins = {fingerprint};
    tls = net::or_throw(net::TlsContext::create(std::move(pinned)));
    options.tls = tls.get();
  }
  auto connection = co_await net::RpcConnection::connect(loop, address, options);
  auto request = connection->bootstrap().castAs<wire::DirectDoor>().presentRequest();
  request.setTicket(kj::arrayPtr(reinterpret_cast<const kj::byte*>(ticket.data()), ticket.size()));
  wire::set_own_version(request.initVersion());
  auto reply = request.send();
  auto response = co_await reply;
  net::or_throw(wire::check_version(response.getVersion(), "leader"));
  co_return LeaderChoice{response.getLeader(), LaneKind::direct, kj::mv(connection)};
}

/// The first of the addresses that answers, one after the other within `kDirectPatience`.
net::Task<LeaderChoice> try_direct(net::EventLoop& loop, DirectDoorInfo direct,
                                   net::Identity identity) {
  if (direct.addresses.empty())
    net::throw_error({ErrorCode::unavailable, "the leader does not listen"});
  const Nanoseconds each = kDirectPatience / static_cast<int>(direct.addresses.size());
  std::string refused;
  for (const net::Address& address : direct.addresses) {
    const std::string what = "direct lane to " + address.dial_text();
    auto attempt = net::with_deadline(
        loop.timer(), each, knock(loop, address, direct.fingerprint, direct.ticket, identity, each),
        what);
    auto settled = net::settle(kj::mv(attempt));
    Result<LeaderChoice> result = co_await settled;
    if (result.ok()) co_return std::move(result).value();
    refused += (refused.empty() ? "" : "; ") + result.error().message;
  }
  net::throw_error({ErrorCode::unavailable, refused});
}

/// A Unix socket counts only where its file is here: the leader may be on another host.
bool may_be_here(const net::Address& address) {
  struct stat status {};
  return !address.is_unix() || stat(address.path.c_str(), &status) == 0;
}

}  // namespace

DirectDoorInfo read_direct(wire::DirectLane::Reader in) {
  DirectDoorInfo info;
  info.fingerprint = wire::to_string(in.getLeaderFingerprint());
  const auto ticket = in.getTicket();
  const auto bytes = std::as_bytes(std::span(ticket.begin(), ticket.size()));
  info.ticket.assign(bytes.begin(), bytes.end());
  const auto addresses = in.getAddresses();
  for (unsigned i = 0; i < addresses.size() && i < kAddressesMax; ++i) {
    auto address = net::parse_address(wire::to_string(addresses[i]));
    if (address.ok() && may_be_here(*address)) info.addresses.push_back(*std::move(address));
  }
  return info;
}

net::Task<LeaderChoice> choose_leader(net::EventLoop& loop, wire::Lease::Client lease,
                                      DirectDoorInfo direct, net::Identity identity,
                                      LaneKind wanted) {
  auto relay = lease.leaderRequest().send();
  if (wanted != LaneKind::relay) {
    auto settled = net::settle<LeaderChoice>(try_direct(loop, std::move(direct), identity));
    Result<LeaderChoice> result = co_await settled;
    if (result.ok()) co_return std::move(result).value();
    if (wanted == LaneKind::direct) net::throw_error(std::move(result).error());
  }
  auto response = co_await relay;
  co_return LeaderChoice{response.getLeader(), LaneKind::relay, {}};
}

}  // namespace penstock::detail
