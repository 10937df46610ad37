#include "gateway/edge/gateway_service.h"

#include <string>
#include <utility>

#include "base/net/rpc_error.h"
#include "gateway/edge/issued_key.h"
#include "gateway/edge/registration_service.h"
#include "gateway/edge/session_service.h"
#include "gateway/edge/shell.h"
#include "schema/wire/convert.h"
#include "schema/wire/version.h"

namespace penstock::gateway {
namespace {

// Executors on Unix sockets show no certificate; the socket's permissions say who they are. One
// fixed fingerprint stands for all of them.
constexpr const char* kLocalFingerprint =
    "0000000000000000000000000000000000000000000000000000000000000000";

class GatewayService final : public wire::Gateway::Server {
 public:
  GatewayService(Shell& shell, net::PeerInfo peer) : shell_(shell), peer_(std::move(peer)) {}

  kj::Promise<void> hello(HelloContext context) override {
    net::or_throw(wire::check_version(context.getParams().getVersion(), "peer"));
    wire::set_own_version(context.getResults().initVersion());
    return kj::READY_NOW;
  }

  kj::Promise<void> login(LoginContext context) override {
    const auto params = context.getParams();
    net::or_throw(wire::check_version(params.getVersion(), "client"));
    const CredentialRecord key =
        net::or_throw(verify_credential(shell_, CredentialKind::api_key, params.getKey()));
    const AccountRecord* account = shell_.control().account(key.account);
    if (account == nullptr || account->revoked_at.ns != 0)
      net::throw_error({ErrorCode::unauthenticated, "login: the key's account is closed"});
    shell_.parts().log->info("gateway",
                             "login: account " + account->name + " from " + peer_.address);
    auto results = context.getResults();
    results.setAccount(wire::to_kj(account->name));
    results.setSession(
        make_session_service(shell_, Caller{key.account, key.id, account->name == kAdministrator}));
    return kj::READY_NOW;
  }

  kj::Promise<void> register_(RegisterContext context) override {
    const auto params = context.getParams();
    net::or_throw(wire::check_version(params.getVersion(), "executor"));
    const CredentialRecord token =
        net::or_throw(verify_credential(shell_, CredentialKind::join_token, params.getToken()));
    const std::string fingerprint =
        peer_.fingerprint.empty() ? kLocalFingerprint : peer_.fingerprint;
    context.getResults().setRegistration(register_executor(
        shell_, token.id, fingerprint, params.getDescription(), params.getAgent()));
    return kj::READY_NOW;
  }

 private:
  Shell& shell_;
  const net::PeerInfo peer_;
};

}  // namespace

wire::Gateway::Client make_gateway_service(Shell& shell, const net::PeerInfo& peer) {
  return kj::heap<GatewayService>(shell, peer);
}

}  // namespace penstock::gateway
