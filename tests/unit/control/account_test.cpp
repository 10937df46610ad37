#include "tests/unit/control/fixture.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

CreateCredential api_key(AccountId account) {
  CreateCredential create;
  create.account = account;
  create.label = "laptop";
  create.hash = "hash";
  return create;
}

Actions join(Pond& pond, KeyId token, const std::string& name, char digit) {
  return pond.apply(
      RegisterExecutor{name, std::string(64, digit), token, {DeviceSpec{"cpu", 1, kGiB}}});
}

}  // namespace

TEST_CASE("an account's name is taken once") {
  Pond pond;
  const Actions again = pond.apply(CreateAccount{"team"});
  REQUIRE(again.refused);
  CHECK(again.refused->code == ErrorCode::already_exists);
  CHECK(pond.apply(CreateAccount{std::string(65, 'a')}).refused);
  CHECK(pond.apply(CreateAccount{"new\nline"}).refused);
}

TEST_CASE("revoking an account ends its leases, requests and keys") {
  Pond pond;
  pond.join("host", 1);
  const KeyId key = only<CredentialCreated>(pond.apply(api_key(pond.account))).key;
  pond.lease(1, 1);
  LeaseTerms waiting;
  waiting.max_wait = 9s;
  pond.request(2, waiting);
  const Actions revoked = pond.apply(RevokeAccount{pond.account});
  CHECK(only<CredentialRevoked>(revoked).key == key);
  CHECK(only<RequestRefused>(revoked).error.code == ErrorCode::permission_denied);
  CHECK(only<LeaseEnded>(revoked).reason == EndReason::account_revoked);
  CHECK(only<RequestRefused>(pond.request(3, LeaseTerms{})).error.code ==
        ErrorCode::permission_denied);
  CHECK(pond.apply(api_key(pond.account)).refused);
}

TEST_CASE("a key is revoked once") {
  Pond pond;
  const KeyId key = only<CredentialCreated>(pond.apply(api_key(pond.account))).key;
  CHECK_FALSE(pond.apply(RevokeCredential{key}).refused);
  CHECK(pond.apply(RevokeCredential{key}).refused);
}

TEST_CASE("a one-time join token belongs to the executor that used it first") {
  Pond pond;
  const KeyId token = pond.create_token(CredentialUse::once);
  CHECK_FALSE(join(pond, token, "first", 'a').refused);
  CHECK(join(pond, token, "second", 'b').refused);
  CHECK_FALSE(join(pond, token, "first", 'a').refused);
}

TEST_CASE("a pool-wide join token brings in many executors until it is revoked") {
  Pond pond;
  CHECK_FALSE(join(pond, pond.token, "first", 'a').refused);
  CHECK_FALSE(join(pond, pond.token, "second", 'b').refused);
  pond.apply(RevokeCredential{pond.token});
  CHECK(join(pond, pond.token, "third", 'c').refused);
}

TEST_CASE("a join token does nothing at the instant it expires") {
  Pond pond;
  CreateCredential create = api_key({});
  create.kind = CredentialKind::join_token;
  create.expires_at = kStart + 60s;
  const KeyId token = only<CredentialCreated>(pond.apply(create)).key;
  pond.pass(60s - 1ns);
  CHECK_FALSE(join(pond, token, "early", 'a').refused);
  pond.pass(1ns);
  CHECK(join(pond, token, "late", 'b').refused);
}

TEST_CASE("an API key is no join token") {
  Pond pond;
  const KeyId key = only<CredentialCreated>(pond.apply(api_key(pond.account))).key;
  CHECK(join(pond, key, "host", 'a').refused->code == ErrorCode::unauthenticated);
}

TEST_CASE("an executor's devices must have a price") {
  Pond pond;
  const Actions actions = pond.apply(
      RegisterExecutor{"host", std::string(64, 'a'), pond.token, {DeviceSpec{"abacus", 1, kGiB}}});
  REQUIRE(actions.refused);
  CHECK(actions.refused->message ==
        "register executor 'host': device 0: device_class 'abacus' has no price; the price table "
        "has cpu, gpu, null");
}

TEST_CASE("a name that is connected belongs to its certificate") {
  Pond pond;
  join(pond, pond.token, "host", 'a');
  CHECK(join(pond, pond.token, "host", 'b').refused->code == ErrorCode::already_exists);
}

TEST_CASE("numbers of an earlier run are never given out again") {
  StoredState stored;
  stored.counters = {LeaseId{4097}, Epoch{5000}, ExecutorId{9}};
  stored.accounts = {{AccountId{3}, "old", kStart, {}}};
  stored.leases = {{.id = LeaseId{12},
                    .epoch = Epoch{40},
                    .account = AccountId{3},
                    .device_class = "cpu",
                    .device_count = 1,
                    .price = {},
                    .granted_at = kStart}};
  ControlPlane plane({}, PriceTable::standard(), stored);
  const Actions recovered = plane.recover(kStart + 1s);
  bool reserved = false, ended = false;
  for (const Persist& persist : all<Persist>(recovered)) {
    if (const auto* counters = std::get_if<CountersRecord>(&persist.record))
      reserved = counters->leases_until > LeaseId{4097} && counters->epochs_until > Epoch{5000} &&
                 counters->executors_until > ExecutorId{9};
    if (const auto* lease = std::get_if<LeaseRecord>(&persist.record))
      ended = lease->id == LeaseId{12} && lease->reason == EndReason::gateway_restarted &&
              lease->ended_at == kStart + 1s;
  }
  CHECK(reserved);
  CHECK(ended);
  CHECK(only<AccountCreated>(plane.apply(CreateAccount{"new"}, kStart + 1s)).account ==
        AccountId{4});
  CreateCredential create = api_key({});
  create.kind = CredentialKind::join_token;
  const KeyId token = only<CredentialCreated>(plane.apply(create, kStart + 1s)).key;
  const auto joined = only<ExecutorJoined>(plane.apply(
      RegisterExecutor{"host", std::string(64, 'a'), token, {DeviceSpec{"cpu", 1, kGiB}}},
      kStart + 1s));
  CHECK(joined.executor == ExecutorId{9});
  const auto granted = only<RequestGranted>(
      plane.apply(RequestLease{RequestId{1}, AccountId{3}, LeaseTerms{}}, kStart + 1s));
  CHECK(granted.lease.id == LeaseId{4097});
  CHECK(granted.lease.epoch == Epoch{5000});
}
