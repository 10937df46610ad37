#include "penstock/client.h"

#include "schema/wire/convert.h"
#include "sdk/src/client_core.h"
#include "sdk/src/gateway_address.h"
#include "sdk/src/lease_core.h"
#include "sdk/src/wire_values.h"

namespace penstock {

using detail::ClientCore;

namespace {
constexpr Nanoseconds kCallDeadline = 30s;
}

Client::Client(std::shared_ptr<ClientCore> core) : core_(std::move(core)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Client Client::connect(ConnectOptions options) {
  const detail::Surroundings surroundings = detail::process_surroundings();
  const net::Address address = value_or_throw(detail::gateway_address(options.url, surroundings));
  const std::string key = value_or_throw(detail::api_key(options.key, surroundings));
  return Client(value_or_throw(ClientCore::connect(address, key, options.deadline)));
}

Client Client::local(LocalOptions options) {
  return Client(value_or_throw(ClientCore::local(options)));
}

Lease Client::lease(LeaseOptions options) {
  return Lease(value_or_throw(detail::LeaseCore::open(core_, options)));
}

const std::string& Client::account() const {
  return core_->account();
}

std::vector<UsageLine> Client::usage(std::int64_t since_unix_ns) {
  return value_or_throw(core_->thread().call("usage", kCallDeadline, [&]() {
    auto request = core_->session().usageRequest();
    request.setSinceUnixNs(since_unix_ns);
    return request.send().then([](auto&& response) {
      std::vector<UsageLine> lines;
      for (const auto line : response.getLines())
        lines.push_back({wire::to_string(line.getDay()), wire::to_string(line.getAccount()),
                         detail::read_usage(line.getUsage()), line.getLeases()});
      return lines;
    });
  }));
}

NewKey Client::create_key(const std::string& name, const std::string& account) {
  return value_or_throw(core_->thread().call("creation of a key", kCallDeadline, [&]() {
    auto request = core_->session().createKeyRequest();
    request.setName(wire::to_kj(name));
    request.setAccount(wire::to_kj(account));
    return request.send().then([](auto&& response) {
      return NewKey{wire::to_string(response.getId()), wire::to_string(response.getKey())};
    });
  }));
}

std::vector<KeyInfo> Client::keys() {
  return value_or_throw(core_->thread().call("list of keys", kCallDeadline, [&]() {
    return core_->session().listKeysRequest().send().then([](auto&& response) {
      std::vector<KeyInfo> keys;
      for (const auto key : response.getKeys())
        keys.push_back({wire::to_string(key.getId()), wire::to_string(key.getAccount()),
                        wire::to_string(key.getName()), key.getCreatedUnixNs(), key.getRevoked(),
                        key.getAdministrator()});
      return keys;
    });
  }));
}

void Client::revoke_key(const std::string& id) {
  value_or_throw(core_->thread().call("revocation of a key", kCallDeadline, [&]() {
    auto request = core_->session().revokeKeyRequest();
    request.setId(wire::to_kj(id));
    return request.send().ignoreResult();
  }));
}

std::vector<PoolExecutor> Client::pool() {
  return value_or_throw(core_->thread().call("pool", kCallDeadline, [&]() {
    return core_->session().poolRequest().send().then([](auto&& response) {
      std::vector<PoolExecutor> executors;
      for (const auto executor : response.getExecutors()) {
        PoolExecutor out;
        out.name = wire::to_string(executor.getName());
        for (const auto device : executor.getDevices())
          out.devices.push_back(detail::read_device(device));
        out.leased = executor.getLeased();
        out.last_heartbeat = Nanoseconds(executor.getLastHeartbeatNs());
        executors.push_back(std::move(out));
      }
      return executors;
    });
  }));
}

std::vector<LeaseLine> Client::leases() {
  return value_or_throw(core_->thread().call("list of leases", kCallDeadline, [&]() {
    return core_->session().leasesRequest().send().then([](auto&& response) {
      std::vector<LeaseLine> leases;
      for (const auto lease : response.getLeases()) {
        LeaseLine out;
        out.lease = lease.getLease();
        out.account = wire::to_string(lease.getAccount());
        out.state = wire::to_string(lease.getState());
        for (const auto device : lease.getDevices())
          out.devices.push_back(detail::read_device(device));
        out.granted_unix_ns = lease.getGrantedUnixNs();
        out.usage = detail::read_usage(lease.getUsage());
        leases.push_back(std::move(out));
      }
      return leases;
    });
  }));
}

}  // namespace penstock
