#include "gateway/edge/service.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/net/coroutine.h"
#include "base/net/identity.h"
#include "base/net/rpc_error.h"
#include "base/net/rpc_server.h"
#include "base/net/tls.h"
#include "gateway/edge/gateway_service.h"
#include "gateway/edge/issued_key.h"
#include "gateway/edge/shell.h"
#include "gateway/observe/health.h"
#include "gateway/store/sqlite_store.h"

namespace penstock::gateway {
namespace {

constexpr std::string_view kStartToken = "start";

Status make_directory(const std::string& path) {
  if (path.empty()) return invalid("gateway: --data names no directory");
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return invalid("gateway: cannot make data directory " + path + ": " + std::strerror(errno));
}

Result<net::SigningKey> load_or_make_key(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) return net::SigningKey::load(path);
  net::SigningKey key = net::SigningKey::generate();
  PENSTOCK_TRY(key.save(path));
  return key;
}

std::string with_port(const std::string& listen, unsigned port) {
  return listen.substr(0, listen.rfind(':')) + ":" + std::to_string(port);
}

class RunningService final : public Service {
 public:
  RunningService(net::EventLoop& loop, ServiceOptions options, const Clock& wall, Log& log)
      : loop_(loop), options_(std::move(options)), wall_(wall), log_(log) {}

  ~RunningService() noexcept(false) {
    // Connections first, so that nothing calls into the shell while it goes.
    health_ = nullptr;
    servers_.clear();
    shell_ = nullptr;
    if (store_) store_->close();
  }

  const Announcement& announcement() const override { return announcement_; }

  Status open() {
    PENSTOCK_TRY(make_directory(options_.data_directory));
    const std::string& data = options_.data_directory;
    PENSTOCK_ASSIGN(identity_, net::load_or_make_identity("penstock gateway", data + "/gateway.pem",
                                                          data + "/gateway.key"));
    PENSTOCK_ASSIGN(ticket_key_, load_or_make_key(data + "/ticket.key"));
    PENSTOCK_ASSIGN(auto opened, SqliteStore::open({.path = data + "/penstock.db"}));
    store_ = std::move(opened.store);
    first_start_ = opened.state.accounts.empty();
    control_.emplace(ControlOptions{}, PriceTable::standard(), std::move(opened.state));
    Shell::Parts parts;
    parts.control = &*control_;
    parts.store = store_.get();
    parts.wall = &wall_;
    parts.timer = &loop_.timer();
    parts.log = &log_;
    parts.ticket_key = &*ticket_key_;
    shell_ = kj::heap<Shell>(std::move(parts));
    shell_->start();
    return {};
  }

  net::Task<void> issue_secrets() {
    AccountId administrator;
    if (const AccountRecord* found = shell_->control().find_account(kAdministrator)) {
      administrator = found->id;
    } else {
      auto created = shell_->apply_durably(CreateAccount{std::string(kAdministrator)});
      const Actions actions = co_await created;
      for (const Action& action : actions.list)
        if (const auto* account = std::get_if<AccountCreated>(&action))
          administrator = account->account;
    }
    if (first_start_ || options_.new_key) {
      const std::string label = first_start_ ? "first start" : "gateway --new-key";
      auto issued = issue_api_key(*shell_, administrator, label);
      const IssuedKey key = co_await issued;
      announcement_.key = key.secret;
    }
    std::vector<KeyId> stale;
    for (const auto& [id, record] : shell_->control().credentials())
      if (record.kind == CredentialKind::join_token && record.label == kStartToken &&
          record.revoked_at.ns == 0)
        stale.push_back(id);
    for (const KeyId id : stale) net::or_throw(shell_->apply(RevokeCredential{id}));
    const std::string label(kStartToken);
    auto issued = issue_join_token(*shell_, label);
    const IssuedKey token = co_await issued;
    announcement_.token = token.secret;
  }

  net::Task<void> listen() {
    announcement_.fingerprint = identity_.fingerprint;
    if (!options_.unix_path.empty()) {
      net::Address address;
      address.path = options_.unix_path;
      auto opening = net::listen(loop_, address);
      auto listener = co_await opening;
      if (chmod(options_.unix_path.c_str(), 0600) != 0)
        net::throw_error(invalid("gateway: cannot protect socket " + options_.unix_path));
      serve(kj::mv(listener), nullptr);
      announcement_.unix_path = options_.unix_path;
    }
    if (!options_.listen.empty()) {
      const net::Address address = net::or_throw(net::parse_address(options_.listen));
      auto opening = net::listen(loop_, address);
      auto listener = co_await opening;
      announcement_.address = with_port(options_.listen, listener->getPort());
      net::TlsOptions tls;
      tls.identity = identity_;
      tls.peer = net::PeerCertificate::reported;
      tls_ = net::or_throw(net::TlsContext::create(std::move(tls)));
      serve(kj::mv(listener), tls_.get());
    }
    if (!options_.http.empty()) {
      const net::Address address = net::or_throw(net::parse_address(options_.http));
      auto opening = net::listen(loop_, address);
      auto listener = co_await opening;
      announcement_.http = with_port(options_.http, listener->getPort());
      health_ = serve_health(loop_.timer(), kj::mv(listener), [this]() {
                  return health();
                }).eagerlyEvaluate([this](kj::Exception&& e) {
        log_.error("gateway", "/healthz: " + net::from_exception(e).message);
      });
    }
  }

 private:
  void serve(kj::Own<kj::ConnectionReceiver> listener, const net::TlsContext* tls) {
    net::RpcServerOptions options;
    options.tls = tls;
    servers_.push_back(std::make_unique<net::RpcServer>(
        loop_, kj::mv(listener),
        [this](const net::PeerInfo& peer) { return make_gateway_service(*shell_, peer); }, options,
        log_));
  }

  std::string health() const {
    const auto& executors = control_->pool().executors();
    std::size_t devices = 0, free = 0;
    for (const auto& [id, executor] : executors) {
      devices += executor.devices.size();
      for (const PooledDevice& device : executor.devices)
        free += device.state == DeviceState::free ? 1 : 0;
    }
    return "{\"status\":\"ok\",\"executors\":" + std::to_string(executors.size()) +
           ",\"devices\":" + std::to_string(devices) + ",\"devices_free\":" + std::to_string(free) +
           ",\"leases\":" + std::to_string(control_->leases().size()) + "}";
  }

  net::EventLoop& loop_;
  const ServiceOptions options_;
  const Clock& wall_;
  Log& log_;
  net::Identity identity_;
  std::optional<net::SigningKey> ticket_key_;
  std::unique_ptr<Store> store_;
  std::optional<ControlPlane> control_;
  kj::Own<Shell> shell_;
  std::unique_ptr<net::TlsContext> tls_;
  std::vector<std::unique_ptr<net::RpcServer>> servers_;
  kj::Promise<void> health_ = nullptr;
  Announcement announcement_;
  bool first_start_ = false;
};

net::Task<kj::Own<Service>> start_service(kj::Own<RunningService> service) {
  net::or_throw(service->open());
  auto secrets = service->issue_secrets();
  co_await kj::mv(secrets);
  auto listening = service->listen();
  co_await kj::mv(listening);
  kj::Own<Service> out = kj::mv(service);
  co_return kj::mv(out);
}

}  // namespace

std::string to_json(const Announcement& a) {
  // None of the values has a character that JSON escapes, but for paths.
  std::string path;
  for (const char c : a.unix_path) {
    if (c == '"' || c == '\\') path += '\\';
    path += c;
  }
  return "{\"unix\":\"" + path + "\",\"address\":\"" + a.address + "\",\"fingerprint\":\"" +
         a.fingerprint + "\",\"http\":\"" + a.http + "\",\"key\":\"" + a.key + "\",\"token\":\"" +
         a.token + "\"}";
}

kj::Promise<kj::Own<Service>> Service::start(net::EventLoop& loop, ServiceOptions options,
                                             const Clock& wall, Log& log) {
  return start_service(kj::heap<RunningService>(loop, std::move(options), wall, log));
}

}  // namespace penstock::gateway
