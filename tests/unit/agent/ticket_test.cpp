#include "schema/wire/ticket.h"
#include "base/clock.h"
#include "base/net/identity.h"
#include "base/net/rpc_client.h"
#include "base/net/tls.h"
#include "schema/wire/version.h"
#include "tests/unit/agent/pool_fixture.h"

using namespace penstock;
using namespace penstock::executor::test;

namespace {

/// A client with a certificate of its own, which dials the leader's port.
class Dialler {
 public:
  Dialler(PoolFixture& pool, const LeaseHandle& lease)
      : pool_(pool), identity_(net::make_identity("client").value()) {
    net::TlsOptions options;
    options.identity = identity_;
    options.pins = {lease.fingerprint};
    tls_ = net::TlsContext::create(std::move(options)).value();
    for (const auto& address : lease.addresses)
      if (address.rfind("unix:", 0) != 0) tcp_ = net::parse_address(address).value();
  }

  wire::TicketClaims claims() const {
    wire::TicketClaims claims;
    claims.lease = LeaseId{7};
    claims.epoch = Epoch{1};
    claims.executor = ExecutorId{1};
    claims.rank = 0;
    claims.expires_at = WallClock().now() + 60s;
    claims.client_fingerprint = identity_.fingerprint;
    return claims;
  }

  Status present(const wire::TicketClaims& claims, const net::SigningKey& key) {
    net::RpcClientOptions options;
    options.tls = tls_.get();
    auto connected = pool_.within(net::RpcConnection::connect(*pool_.loop, tcp_, options));
    if (!connected.ok()) return connected.error();
    auto door = (*connected)->bootstrap().castAs<wire::DirectDoor>();
    auto request = door.presentRequest();
    const std::string ticket = wire::sign_ticket(claims, key).value();
    request.setTicket(
        kj::arrayPtr(reinterpret_cast<const kj::byte*>(ticket.data()), ticket.size()));
    wire::set_own_version(request.initVersion());
    return pool_.within(
        request.send().then([](capnp::Response<wire::DirectDoor::PresentResults>&& response) {
          return response.getLeader().pingRequest().send().ignoreResult();
        }));
  }

 private:
  PoolFixture& pool_;
  net::Identity identity_;
  std::unique_ptr<net::TlsContext> tls_;
  net::Address tcp_;
};

}  // namespace

TEST_CASE("the direct lane opens for the gateway's ticket and for no other") {
  PoolFixture pool({.devices = "1", .memory = "64MiB", .more = {}});
  auto lease = pool.lease(7, {0});
  REQUIRE_MESSAGE(lease.ok(), lease.error().message);
  REQUIRE(lease->addresses.size() == 2);
  CHECK(lease->addresses[0].rfind("unix:", 0) == 0);
  Dialler client(pool, *lease);

  const Status good = client.present(client.claims(), pool.ticket_key);
  CHECK_MESSAGE(good.ok(), good.error().message);

  auto other_executor = client.claims();
  other_executor.executor = ExecutorId{2};
  const Status executor_refused = client.present(other_executor, pool.ticket_key);
  REQUIRE_FALSE(executor_refused.ok());
  CHECK(executor_refused.error().code == ErrorCode::permission_denied);

  auto other_lease = client.claims();
  other_lease.lease = LeaseId{8};
  const Status lease_refused = client.present(other_lease, pool.ticket_key);
  REQUIRE_FALSE(lease_refused.ok());
  CHECK(lease_refused.error().code == ErrorCode::permission_denied);

  auto old_epoch = client.claims();
  old_epoch.epoch = Epoch{2};
  CHECK_FALSE(client.present(old_epoch, pool.ticket_key).ok());

  auto expired = client.claims();
  expired.expires_at = WallClock().now() - 1s;
  const Status expiry = client.present(expired, pool.ticket_key);
  REQUIRE_FALSE(expiry.ok());
  CHECK(expiry.error().code == ErrorCode::deadline_exceeded);

  auto stolen = client.claims();
  stolen.client_fingerprint = std::string(64, 'a');
  const Status theft = client.present(stolen, pool.ticket_key);
  REQUIRE_FALSE(theft.ok());
  CHECK(theft.error().code == ErrorCode::permission_denied);

  const Status forged = client.present(client.claims(), net::SigningKey::generate());
  REQUIRE_FALSE(forged.ok());
  CHECK(forged.error().code == ErrorCode::unauthenticated);
}
