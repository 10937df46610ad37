#include "gateway/edge/session_service.h"

#include <cstdio>
#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/net/rpc_error.h"
#include "gateway/edge/bill.h"
#include "gateway/edge/issued_key.h"
#include "gateway/edge/lease_service.h"
#include "gateway/edge/shell.h"
#include "schema/wire/convert.h"

namespace penstock::gateway {
namespace {

std::string day_text(std::int32_t day) {
  const std::time_t seconds = static_cast<std::time_t>(day) * 86400;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

class SessionService final : public wire::Session::Server {
 public:
  SessionService(Shell& shell, Caller caller) : shell_(shell), caller_(caller) {
    shell_.watch_key(caller_.key, this, [this]() { revoked_ = true; });
  }
  ~SessionService() noexcept(false) { shell_.unwatch_key(caller_.key, this); }

  kj::Promise<void> lease(LeaseContext context) override {
    require_key();
    context.allowCancellation();
    const auto in = context.getParams().getRequest();
    LeaseTerms terms;
    terms.device_count = in.getDevices();
    terms.memory_bytes_min = in.getMemoryBytes();
    terms.device_class = wire::to_string(in.getDeviceClass());
    if (terms.device_class.size() > kDeviceClassBytesMax)
      net::throw_error(invalid("lease: the device class has " +
                               std::to_string(terms.device_class.size()) + " bytes; at most " +
                               std::to_string(kDeviceClassBytesMax) + " may be"));
    terms.max_wait = Nanoseconds(in.getMaxWaitNs());
    terms.reconnect_grace = Nanoseconds(in.getReconnectGraceNs());
    const Instant asked = shell_.now();
    return shell_
        .request_lease(caller_.account, std::move(terms),
                       wire::to_string(in.getClientFingerprint()))
        .then([this, context, asked](kj::Own<LeaseRun> run) mutable {
          auto results = context.getResults();
          fill_lease_info(results.initInfo(), shell_, *run);
          results.getInfo().setQueuedNs((shell_.now() - asked).count());
          results.setLease(make_lease_service(shell_, kj::mv(run)));
        });
  }

  kj::Promise<void> usage(UsageContext context) override {
    require_key();
    const Instant since{context.getParams().getSinceUnixNs()};
    std::vector<DayUsage> days;
    for (const auto& [id, account] : shell_.control().accounts()) {
      if (id != caller_.account && !caller_.administrator) continue;
      for (DayUsage& day : shell_.control().meter().days(id, day_of(since)))
        days.push_back(std::move(day));
    }
    auto lines = context.getResults().initLines(static_cast<unsigned>(days.size()));
    for (unsigned i = 0; i < days.size(); ++i) {
      const std::string day = day_text(days[i].day);
      lines[i].setDay(wire::to_kj(day));
      const AccountRecord* account = shell_.control().account(days[i].account);
      if (account != nullptr) lines[i].setAccount(wire::to_kj(account->name));
      fill_usage(lines[i].initUsage(), days[i].usage, days[i].amount);
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> createKey(CreateKeyContext context) override {
    require_key();
    const auto params = context.getParams();
    const std::string label = wire::to_string(params.getName());
    const std::string account = wire::to_string(params.getAccount());
    const AccountId owner = net::or_throw(account_for(account));
    return issue_api_key(shell_, owner, label).then([context](IssuedKey key) mutable {
      context.getResults().setKey(wire::to_kj(key.secret));
      const std::string id = std::to_string(key.id.value);
      context.getResults().setId(wire::to_kj(id));
    });
  }

  kj::Promise<void> listKeys(ListKeysContext context) override {
    require_key();
    std::vector<const CredentialRecord*> mine;
    for (const auto& [id, record] : shell_.control().credentials())
      if (record.kind == CredentialKind::api_key && may_see(record)) mine.push_back(&record);
    auto keys = context.getResults().initKeys(static_cast<unsigned>(mine.size()));
    for (unsigned i = 0; i < mine.size(); ++i) {
      const std::string id = std::to_string(mine[i]->id.value);
      keys[i].setId(wire::to_kj(id));
      keys[i].setName(wire::to_kj(mine[i]->label));
      const AccountRecord* account = shell_.control().account(mine[i]->account);
      if (account != nullptr) {
        keys[i].setAccount(wire::to_kj(account->name));
        keys[i].setAdministrator(account->name == kAdministrator);
      }
      keys[i].setCreatedUnixNs(mine[i]->created_at.ns);
      keys[i].setRevoked(mine[i]->revoked_at.ns != 0);
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> revokeKey(RevokeKeyContext context) override {
    require_key();
    const std::string text = wire::to_string(context.getParams().getId());
    for (const auto& [id, record] : shell_.control().credentials()) {
      if (std::to_string(id.value) != text || record.kind != CredentialKind::api_key) continue;
      if (!may_see(record)) break;
      return shell_.apply_durably(RevokeCredential{id}).ignoreResult();
    }
    net::throw_error({ErrorCode::not_found, "revoke key '" + text.substr(0, 32) +
                                                "': no such key of yours; `penstock keys list` "
                                                "shows them"});
  }

  kj::Promise<void> pool(PoolContext context) override {
    require_key();
    const auto& executors = shell_.control().pool().executors();
    auto out = context.getResults().initExecutors(static_cast<unsigned>(executors.size()));
    unsigned i = 0;
    for (const auto& [id, executor] : executors) fill_executor(out[i++], executor);
    return kj::READY_NOW;
  }

  kj::Promise<void> leases(LeasesContext context) override {
    require_key();
    std::vector<const Lease*> mine;
    for (const LeaseId id : shell_.control().leases()) {
      const Lease* lease = shell_.control().lease(id);
      if (lease != nullptr && (caller_.administrator || lease->account == caller_.account))
        mine.push_back(lease);
    }
    auto out = context.getResults().initLeases(static_cast<unsigned>(mine.size()));
    for (unsigned i = 0; i < mine.size(); ++i) fill_lease(out[i], *mine[i]);
    return kj::READY_NOW;
  }

 private:
  void fill_lease(wire::LeaseLine::Builder out, const Lease& lease) const {
    out.setLease(lease.id.value);
    const AccountRecord* account = shell_.control().account(lease.account);
    if (account != nullptr) out.setAccount(wire::to_kj(account->name));
    const std::string state(name(lease.state));
    out.setState(wire::to_kj(state));
    out.setGrantedUnixNs(lease.granted_at.ns);
    auto devices = out.initDevices(static_cast<unsigned>(lease.devices.size()));
    for (unsigned i = 0; i < lease.devices.size(); ++i) {
      const DeviceId id = lease.devices[i];
      const auto& executors = shell_.control().pool().executors();
      const auto executor = executors.find(id.executor);
      devices[i].setIndex(id.index);
      if (executor == executors.end()) continue;
      devices[i].setExecutor(wire::to_kj(executor->second.name));
      devices[i].setClass(wire::to_kj(executor->second.devices.at(id.index).spec.device_class));
    }
    if (const auto bill = shell_.control().meter().statement(lease.id))
      fill_usage(out.initUsage(), bill->usage, bill->total);
  }

  void require_key() const {
    if (revoked_)
      net::throw_error({ErrorCode::unauthenticated,
                        "the API key of this session was revoked; log in with another"});
  }

  bool may_see(const CredentialRecord& record) const {
    return caller_.administrator || record.account == caller_.account;
  }

  Result<AccountId> account_for(const std::string& name) {
    if (name.empty()) return caller_.account;
    const AccountRecord* found = shell_.control().find_account(name);
    if (found != nullptr && found->id == caller_.account) return caller_.account;
    if (!caller_.administrator)
      return Error{ErrorCode::permission_denied,
                   "create key: only an administrator's key may "
                   "create keys of account '" +
                       name.substr(0, kNameBytesMax) + "'"};
    if (found != nullptr) return found->id;
    PENSTOCK_ASSIGN(const Actions actions, shell_.apply(CreateAccount{name}));
    for (const Action& action : actions.list)
      if (const auto* created = std::get_if<AccountCreated>(&action)) return created->account;
    return Error{ErrorCode::internal, "create account: nothing was created"};
  }

  static void fill_executor(wire::PoolExecutor::Builder out, const PooledExecutor& executor) {
    out.setName(wire::to_kj(executor.name));
    auto devices = out.initDevices(static_cast<unsigned>(executor.devices.size()));
    std::uint32_t leased = 0;
    for (unsigned i = 0; i < executor.devices.size(); ++i) {
      const PooledDevice& device = executor.devices[i];
      devices[i].setExecutor(wire::to_kj(executor.name));
      devices[i].setIndex(i);
      devices[i].setClass(wire::to_kj(device.spec.device_class));
      devices[i].setMemoryBytes(device.spec.memory_bytes);
      devices[i].setThreads(device.spec.threads);
      if (device.state != DeviceState::free) ++leased;
    }
    out.setLeased(leased);
  }

  Shell& shell_;
  const Caller caller_;
  bool revoked_ = false;
};

}  // namespace

wire::Session::Client make_session_service(Shell& shell, Caller caller) {
  return kj::heap<SessionService>(shell, caller);
}

}  // namespace penstock::gateway
