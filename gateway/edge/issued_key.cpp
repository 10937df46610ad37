#include "gateway/edge/issued_key.h"

#include <utility>

#include "base/net/rpc_error.h"
#include "gateway/auth/secret.h"
#include "gateway/edge/shell.h"

namespace penstock::gateway {
namespace {

kj::Promise<IssuedKey> issue(Shell& shell, CreateCredential command) {
  NewSecret secret = make_secret();
  const CredentialKind kind = command.kind;
  command.hash = secret.hash;
  return shell.apply_durably(std::move(command))
      .then([kind, random = std::move(secret.random)](Actions actions) -> IssuedKey {
        for (const Action& action : actions.list)
          if (const auto* created = std::get_if<CredentialCreated>(&action))
            return {created->key, secret_text(kind, created->key, random)};
        net::throw_error({ErrorCode::internal, "create credential: nothing was created"});
      });
}

}  // namespace

kj::Promise<IssuedKey> issue_api_key(Shell& shell, AccountId account, const std::string& label) {
  CreateCredential command;
  command.kind = CredentialKind::api_key;
  command.account = account;
  command.label = label;
  return issue(shell, std::move(command));
}

kj::Promise<IssuedKey> issue_join_token(Shell& shell, const std::string& label) {
  CreateCredential command;
  command.kind = CredentialKind::join_token;
  command.label = label;
  return issue(shell, std::move(command));
}

Result<CredentialRecord> verify_credential(Shell& shell, CredentialKind kind,
                                           kj::StringPtr secret) {
  PENSTOCK_ASSIGN(const ParsedSecret parsed, parse_secret({secret.cStr(), secret.size()}));
  if (parsed.kind != kind)
    return Error{ErrorCode::unauthenticated,
                 kind == CredentialKind::api_key
                     ? "login takes an API key (psk_...), not a join token"
                     : "an executor joins with a join token (pjt_...), not an API key"};
  const CredentialRecord* record = shell.control().credential(parsed.id);
  PENSTOCK_TRY(check_secret(parsed, record, shell.now()));
  return *record;
}

}  // namespace penstock::gateway
