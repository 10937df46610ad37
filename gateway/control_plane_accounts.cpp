#include <algorithm>
#include <utility>

#include "gateway/control_plane.h"

/// Accounts, API keys and join tokens.
namespace penstock::gateway {
namespace {

constexpr std::size_t kHashBytesMax = 256;

Status check_hash(const CreateCredential& command) {
  if (!command.hash.empty() && command.hash.size() <= kHashBytesMax) return {};
  return invalid("create credential '" + command.label + "': its hash has " +
                 std::to_string(command.hash.size()) + " bytes; 1 to " +
                 std::to_string(kHashBytesMax) + " are allowed");
}

}  // namespace

const AccountRecord* ControlPlane::account(AccountId id) const {
  const auto found = accounts_.find(id);
  return found == accounts_.end() ? nullptr : &found->second;
}

const AccountRecord* ControlPlane::find_account(std::string_view name) const {
  for (const auto& [id, account] : accounts_)
    if (account.name == name && account.revoked_at == Instant{}) return &account;
  return nullptr;
}

const CredentialRecord* ControlPlane::credential(KeyId id) const {
  const auto found = credentials_.find(id);
  return found == credentials_.end() ? nullptr : &found->second;
}

Status ControlPlane::on(Step& step, const CreateAccount& command) {
  PENSTOCK_TRY(check_name("create account: name", command.name));
  if (const AccountRecord* taken = find_account(command.name))
    return Error{ErrorCode::already_exists, "create account '" + command.name + "': account " +
                                                std::to_string(taken->id.value) + " has this name"};
  if (accounts_.size() >= options_.limits.accounts_max)
    return Error{ErrorCode::resource_exhausted,
                 "create account '" + command.name + "': the limit of " +
                     std::to_string(options_.limits.accounts_max) + " accounts is reached"};
  const AccountId id{next_account_++};
  accounts_[id] = {.id = id, .name = command.name, .created_at = step.now, .revoked_at = {}};
  step.persist(accounts_[id]);
  step.act(AccountCreated{id});
  return {};
}

Status ControlPlane::on(Step& step, const RevokeAccount& command) {
  const auto found = accounts_.find(command.account);
  if (found == accounts_.end() || found->second.revoked_at != Instant{})
    return Error{ErrorCode::not_found, "revoke account " + std::to_string(command.account.value) +
                                           ": there is no such account"};
  found->second.revoked_at = step.now;
  step.persist(found->second);
  for (auto& [id, credential] : credentials_)
    if (credential.kind == CredentialKind::api_key && credential.account == command.account &&
        credential.revoked_at == Instant{})
      revoke(step, credential);

  const Error why{ErrorCode::permission_denied,
                  "account '" + found->second.name + "' has been revoked"};
  std::vector<RequestId> requests;
  for (const auto& [order, waiting] : queue_.in_order())
    if (waiting.account == command.account) requests.push_back(waiting.id);
  for (const RequestId request : requests) refuse_request(step, request, why);
  for (const LeaseId id : leases()) {
    LiveLease& live = leases_.at(id);
    if (live.lease.account == command.account && live.lease.state != LeaseState::stopping)
      end_lease(step, live, EndReason::account_revoked, why);
  }
  step.pool_changed = true;
  return {};
}

Status ControlPlane::on(Step& step, const CreateCredential& command) {
  PENSTOCK_TRY(check_name("create credential: label", command.label));
  PENSTOCK_TRY(check_hash(command));
  const bool is_key = command.kind == CredentialKind::api_key;
  const AccountRecord* owner = account(command.account);
  if (is_key && (owner == nullptr || owner->revoked_at != Instant{}))
    return Error{ErrorCode::not_found, "create key '" + command.label + "': there is no account " +
                                           std::to_string(command.account.value)};
  if (!is_key && command.account)
    return invalid("create join token '" + command.label + "': it belongs to no account");
  if (is_key && command.use == CredentialUse::once)
    return invalid("create key '" + command.label + "': only join tokens are used once");
  if (command.expires_at != Instant{} && command.expires_at <= step.now)
    return invalid("create credential '" + command.label + "': it would have expired " +
                   format_duration(step.now - command.expires_at) + " ago");
  if (credentials_.size() >= options_.limits.credentials_max)
    return Error{ErrorCode::resource_exhausted,
                 "create credential '" + command.label + "': the limit of " +
                     std::to_string(options_.limits.credentials_max) + " is reached"};
  const KeyId id{next_key_++};
  credentials_[id] = {.id = id,
                      .kind = command.kind,
                      .use = command.use,
                      .account = command.account,
                      .label = command.label,
                      .hash = command.hash,
                      .created_at = step.now,
                      .expires_at = command.expires_at,
                      .revoked_at = {},
                      .used_by = {}};
  step.persist(credentials_[id]);
  step.act(CredentialCreated{id});
  return {};
}

Status ControlPlane::on(Step& step, const RevokeCredential& command) {
  const auto found = credentials_.find(command.key);
  if (found == credentials_.end() || found->second.revoked_at != Instant{})
    return Error{ErrorCode::not_found, "revoke credential " + std::to_string(command.key.value) +
                                           ": there is no such key or token"};
  revoke(step, found->second);
  return {};
}

void ControlPlane::revoke(Step& step, CredentialRecord& credential) {
  credential.revoked_at = step.now;
  step.persist(credential);
  step.act(CredentialRevoked{credential.id});
}

/// A token that may be used once belongs to the first certificate that used it.
Status ControlPlane::redeem(Step& step, KeyId join_token, const std::string& fingerprint) {
  const auto found = credentials_.find(join_token);
  const std::string place = "join token " + std::to_string(join_token.value);
  if (found == credentials_.end() || found->second.kind != CredentialKind::join_token)
    return Error{ErrorCode::unauthenticated, place + ": there is no such token"};
  CredentialRecord& token = found->second;
  if (token.revoked_at != Instant{})
    return Error{ErrorCode::permission_denied, place + ": it has been revoked"};
  const bool used_before = token.used_by == fingerprint;
  if (!used_before && token.expires_at != Instant{} && token.expires_at <= step.now)
    return Error{ErrorCode::permission_denied,
                 place + ": it expired " + format_duration(step.now - token.expires_at) + " ago"};
  if (token.use == CredentialUse::many || used_before) return {};
  if (!token.used_by.empty())
    return Error{ErrorCode::permission_denied,
                 place + ": it may be used once, and another executor has used it"};
  token.used_by = fingerprint;
  step.persist(token);
  return {};
}

}  // namespace penstock::gateway
