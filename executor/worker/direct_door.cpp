#include "executor/worker/direct_door.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/net/rpc_error.h"
#include "schema/wire/ticket.h"
#include "schema/wire/version.h"

namespace penstock::executor {
namespace {

class DoorServer final : public wire::DirectDoor::Server {
 public:
  DoorServer(DirectDoorOptions options, net::PeerInfo peer, wire::Leader::Client leader)
      : options_(std::move(options)), peer_(std::move(peer)), leader_(kj::mv(leader)) {}

  kj::Promise<void> present(PresentContext context) override {
    const auto params = context.getParams();
    net::or_throw(wire::check_version(params.getVersion(), "SDK"));
    const auto ticket = params.getTicket();
    net::or_throw(check({reinterpret_cast<const char*>(ticket.begin()), ticket.size()}));
    auto results = context.getResults();
    results.setLeader(leader_);
    wire::set_own_version(results.initVersion());
    return kj::READY_NOW;
  }

 private:
  Status check(std::string_view ticket) const {
    PENSTOCK_ASSIGN(const auto claims, wire::verify_ticket(ticket, options_.ticket_key));
    wire::TicketClaims expected;
    expected.lease = options_.lease;
    expected.epoch = options_.epoch;
    expected.executor = options_.executor;
    expected.rank = 0;
    // A Unix socket shows no certificate, so only a ticket without a fingerprint passes there.
    expected.client_fingerprint = peer_.fingerprint;
    return wire::check_ticket(claims, expected, options_.wall_clock->now());
  }

  const DirectDoorOptions options_;
  const net::PeerInfo peer_;
  wire::Leader::Client leader_;
};

std::string with_port(const std::string& host, unsigned port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

/// The addresses of this host that others may reach it by; the loopback ones last.
std::vector<std::string> host_addresses() {
  std::vector<std::string> far, near;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    if ((at->ifa_flags & IFF_UP) == 0) continue;
    char host[NI_MAXHOST];
    if (::getnameinfo(at->ifa_addr, sizeof(sockaddr_in), host, sizeof host, nullptr, 0,
                      NI_NUMERICHOST) != 0)
      continue;
    ((at->ifa_flags & IFF_LOOPBACK) != 0 ? near : far).emplace_back(host);
  }
  ::freeifaddrs(list);
  far.insert(far.end(), near.begin(), near.end());
  return far;
}

}  // namespace

wire::DirectDoor::Client make_door(const DirectDoorOptions& options, net::PeerInfo peer,
                                   wire::Leader::Client leader) {
  return kj::heap<DoorServer>(options, std::move(peer), kj::mv(leader));
}

DirectDoor::~DirectDoor() {
  servers_.clear();
  if (!unix_path_.empty()) ::unlink(unix_path_.c_str());
}

void DirectDoor::serve(kj::Own<kj::ConnectionReceiver> listener, const net::TlsContext* tls,
                       wire::Leader::Client leader) {
  net::RpcServerOptions server_options;
  server_options.connections_max = 64;
  server_options.flow_limit_bytes = 512 * kMiB;  // the lanes' own bounds come first
  server_options.tls = tls;
  servers_.push_back(std::make_unique<net::RpcServer>(
      loop_, kj::mv(listener),
      // std::function wants to be copyable, which a capability's client is not quite.
      [this, held = std::make_shared<wire::Leader::Client>(kj::mv(leader))](
          const net::PeerInfo& peer) { return make_door(options_, peer, *held); },
      server_options, log_));
}

kj::Promise<void> DirectDoor::listen_tcp(wire::Leader::Client leader) {
  net::Address address;
  address.host = options_.listen_host.empty() ? "0.0.0.0" : options_.listen_host;
  return net::listen(loop_, address)
      .then([this, leader = kj::mv(leader)](kj::Own<kj::ConnectionReceiver>&& listener) mutable {
        const unsigned port = listener->getPort();
        serve(kj::mv(listener), tls_.get(), kj::mv(leader));
        if (!options_.listen_host.empty()) {
          addresses_.push_back(with_port(options_.listen_host, port));
          return;
        }
        for (const auto& host : host_addresses()) addresses_.push_back(with_port(host, port));
      });
}

kj::Promise<void> DirectDoor::listen_unix(wire::Leader::Client leader) {
  if (options_.unix_directory.empty()) return kj::READY_NOW;
  net::Address address;
  // sockaddr_un holds 107 characters; clients on this host can use TCP as well.
  constexpr std::size_t kPathMax = 107;
  address.path = options_.unix_directory + "/lease-" + std::to_string(options_.lease.value) + "-" +
                 std::to_string(options_.epoch.value) + ".sock";
  if (address.path.size() > kPathMax) return kj::READY_NOW;
  return net::listen(loop_, address)
      .then([this, path = address.path,
             leader = kj::mv(leader)](kj::Own<kj::ConnectionReceiver>&& listener) mutable {
        unix_path_ = path;
        serve(kj::mv(listener), nullptr, kj::mv(leader));
        addresses_.insert(addresses_.begin(), "unix:" + path);
      });
}

kj::Promise<kj::Own<DirectDoor>> DirectDoor::open(net::EventLoop& loop, DirectDoorOptions options,
                                                  wire::Leader::Client leader, Log& log) {
  auto identity = net::make_identity("penstock lease " + std::to_string(options.lease.value));
  if (!identity.ok()) return net::to_exception(identity.error());
  net::TlsOptions tls_options;
  tls_options.identity = *identity;
  tls_options.peer = net::PeerCertificate::required;
  auto tls = net::TlsContext::create(std::move(tls_options));
  if (!tls.ok()) return net::to_exception(tls.error());
  auto door = kj::heap<DirectDoor>(loop, std::move(options), std::move(identity).value(), log);
  door->tls_ = std::move(tls).value();
  DirectDoor& self = *door;
  return self.listen_tcp(leader)
      .then([&self, leader]() mutable { return self.listen_unix(kj::mv(leader)); })
      .then([door = kj::mv(door)]() mutable { return kj::mv(door); });
}

}  // namespace penstock::executor
