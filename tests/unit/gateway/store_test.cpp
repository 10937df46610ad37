#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>

#include "gateway/auth/secret.h"
#include "gateway/control_plane.h"
#include "gateway/store/sqlite_store.h"
#include "tests/unit/gateway/temporary_folder.h"

using namespace penstock;
using namespace penstock::gateway;

namespace {

constexpr Instant kNow{1'767'225'600'000'000'000};
constexpr std::chrono::seconds kDeadline(30);

OpenedStore open(const std::string& path) {
  auto opened = SqliteStore::open({.path = path});
  REQUIRE_MESSAGE(opened.ok(), opened.error().message);
  return std::move(opened).value();
}

/// The outcome of a flush.
Status flushed(Store& store) {
  std::promise<Status> promise;
  auto future = promise.get_future();
  store.flush([&promise](Status status) { promise.set_value(std::move(status)); });
  REQUIRE(future.wait_for(kDeadline) == std::future_status::ready);
  return future.get();
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Changes a store's file from outside.
void execute(const std::string& path, const char* sql, int expected = SQLITE_OK) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == expected);
  sqlite3_close(handle);
}

LedgerEntry entry(std::uint64_t number, std::int64_t nanos) {
  return {.number = number,
          .transaction = (number + 1) / 2,
          .at = kNow,
          .account = number % 2 == 1 ? AccountId{1} : kRevenueAccount,
          .amount = {nanos},
          .lease = LeaseId{1}};
}

/// One of each, with every field set to something that a mix-up would show.
StoredState full_state() {
  StoredState out;
  out.accounts = {{AccountId{1}, "team", Instant{10}, Instant{11}}};
  out.credentials = {{.id = KeyId{2},
                      .kind = CredentialKind::join_token,
                      .use = CredentialUse::once,
                      .account = AccountId{3},
                      .label = "it's \"quoted\"",
                      .hash = "hash",
                      .created_at = Instant{20},
                      .expires_at = Instant{21},
                      .revoked_at = Instant{22},
                      .used_by = "fingerprint"}};
  out.executors = {{std::string(64, 'a'), "host", ExecutorId{5}, Instant{30}}};
  out.leases = {{.id = LeaseId{6},
                 .epoch = Epoch{7},
                 .account = AccountId{1},
                 .device_class = "cpu",
                 .device_count = 2,
                 .price = {8, 9, 10},
                 .granted_at = Instant{40},
                 .ended_at = Instant{41},
                 .reason = EndReason::worker_failed}};
  out.usage = {{LeaseId{6}, AccountId{1}, 20454, {50, 51, 52, 53}, Money{54}, 55}};
  out.days = {{AccountId{1}, 20454, {50, 51, 52, 53}, Money{54}}};
  out.ledger = {2, 1, {{AccountId{1}, Money{54}}, {kRevenueAccount, Money{-54}}}};
  out.counters = {LeaseId{4097}, Epoch{4098}, ExecutorId{4099}};
  return out;
}

std::vector<Record> records(const StoredState& state) {
  std::vector<Record> out;
  for (const auto& r : state.accounts) out.push_back(r);
  for (const auto& r : state.credentials) out.push_back(r);
  for (const auto& r : state.executors) out.push_back(r);
  for (const auto& r : state.leases) out.push_back(r);
  for (const auto& r : state.usage) out.push_back(r);
  out.push_back(entry(1, 54));
  out.push_back(entry(2, -54));
  out.push_back(state.counters);
  return out;
}

}  // namespace

TEST_CASE("a new store is empty, and only its owner may read it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  const OpenedStore opened = open(path);
  CHECK(opened.state == StoredState{});
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
}

TEST_CASE("every record reads back as it was written") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  {
    const OpenedStore opened = open(path);
    opened.store->append_all(records(full_state()));
    CHECK(flushed(*opened.store).ok());
  }
  CHECK(open(path).state == full_state());
}

TEST_CASE("closing writes what is queued, and refuses what comes later") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  const OpenedStore opened = open(path);
  for (const Record& record : records(full_state())) opened.store->append(record);
  opened.store->close();
  CHECK(flushed(*opened.store).error().code == ErrorCode::failed_precondition);
  CHECK(open(path).state == full_state());
}

TEST_CASE("a lease written again keeps its grant and gets its end") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  LeaseRecord lease = full_state().leases.front();
  lease.ended_at = {};
  lease.reason = EndReason::none;
  {
    const OpenedStore opened = open(path);
    opened.store->append(lease);
    opened.store->append(full_state().leases.front());
    CHECK(flushed(*opened.store).ok());
  }
  CHECK(open(path).state.leases == full_state().leases);
}

TEST_CASE("an epoch that is taken is an error of the store, and nothing is stored after it") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  LeaseRecord other = full_state().leases.front();
  other.id = LeaseId{99};
  {
    const OpenedStore opened = open(path);
    opened.store->append(full_state().leases.front());
    REQUIRE(flushed(*opened.store).ok());
    opened.store->append(other);
    CHECK_FALSE(flushed(*opened.store).ok());
    opened.store->append(full_state().accounts.front());
    CHECK_FALSE(flushed(*opened.store).ok());
  }
  const StoredState state = open(path).state;
  CHECK(state.leases == full_state().leases);
  CHECK(state.accounts.empty());
}

TEST_CASE("records that belong together are stored all or not at all") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  {
    const OpenedStore opened = open(path);
    // Ledger entry 1 twice: the second cannot be written.
    opened.store->append_all({full_state().accounts.front(), entry(1, 54), entry(1, 54)});
    CHECK_FALSE(flushed(*opened.store).ok());
  }
  CHECK(open(path).state == StoredState{});
}

TEST_CASE("a queue that the disk does not empty ends the store, not the memory") {
  const TemporaryFolder folder;
  auto opened = SqliteStore::open({.path = folder.file("penstock.db"), .queue_max = 2});
  REQUIRE(opened.ok());
  opened->store->append_all(records(full_state()));
  CHECK(flushed(*opened->store).error().code == ErrorCode::resource_exhausted);
}

TEST_CASE("the ledger on disk can be neither changed nor cut") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  {
    const OpenedStore opened = open(path);
    opened.store->append_all({entry(1, 54), entry(2, -54)});
  }
  execute(path, "UPDATE ledger SET amount = 0", SQLITE_CONSTRAINT);
  execute(path, "DELETE FROM ledger", SQLITE_CONSTRAINT);
  CHECK(open(path).state.ledger.entries == 2);
}

TEST_CASE("a ledger that does not sum to zero does not open") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  { open(path); }
  execute(path, "INSERT INTO ledger VALUES(1, 1, 0, 1, 54, 1, 0)");
  const auto opened = SqliteStore::open({.path = path});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::data_loss);
  CHECK(opened.error().message ==
        "store: the ledger sums to 54 billionths and not to zero; restore a backup");
}

TEST_CASE("a newer version's file does not open, and says which version it has") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  { open(path); }
  execute(path, "UPDATE schema_version SET version = 7");
  const auto opened = SqliteStore::open({.path = path});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message == "store " + path +
                                      ": it has schema version 7, and this gateway knows up to 1; "
                                      "start a newer gateway, or restore a backup");
}

TEST_CASE("another program's file does not open") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  execute(path, "CREATE TABLE notes(text TEXT)");
  const auto opened = SqliteStore::open({.path = path});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::failed_precondition);
}

TEST_CASE("a damaged file does not open") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  SUBCASE("one that is no database") {
    std::ofstream(path) << std::string(8192, 'x');
  }
  SUBCASE("one with pages overwritten") {
    {
      const OpenedStore opened = open(path);
      for (std::uint64_t i = 1; i <= 400; ++i)
        opened.store->append(AccountRecord{AccountId{i}, "account " + std::to_string(i), kNow, {}});
    }
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096);
    file << std::string(16 * 1024, '\xff');
  }
  const auto opened = SqliteStore::open({.path = path});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::data_loss);
}

TEST_CASE("a store in a folder that is not there names it") {
  const auto opened = SqliteStore::open({.path = "/nonexistent/penstock.db"});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message ==
        "store /nonexistent/penstock.db: cannot be opened: No such file or directory; check the "
        "folder and its permissions");
}

TEST_CASE("two gateways cannot have one file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  const OpenedStore first = open(path);
  const auto second = SqliteStore::open({.path = path});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == ErrorCode::unavailable);
}

TEST_CASE("what was acknowledged before a kill is there afterwards") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    auto opened = SqliteStore::open({.path = path});
    if (!opened.ok()) _exit(1);
    for (std::uint64_t n = 1;; n += 2) {
      opened->store->append_all({entry(n, 1), entry(n + 1, -1)});
      opened->store->flush([n, out = pipe_ends[1]](Status status) {
        const std::uint64_t done = n + 1;
        if (!status.ok() || write(out, &done, sizeof done) != sizeof done) _exit(2);
      });
      usleep(200);
    }
  }
  close(pipe_ends[1]);
  std::uint64_t acknowledged = 0;
  while (acknowledged < 100 &&
         read(pipe_ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
  }
  REQUIRE(kill(child, SIGKILL) == 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  while (read(pipe_ends[0], &acknowledged, sizeof acknowledged) == sizeof acknowledged) {
  }
  close(pipe_ends[0]);
  REQUIRE(acknowledged >= 100);
  const StoredState state = open(path).state;
  CHECK(state.ledger.entries >= acknowledged);
  CHECK(state.ledger.balances.at(AccountId{1}).nanos ==
        static_cast<std::int64_t>(state.ledger.entries / 2));
}

TEST_CASE("a restarted gateway knows its accounts, keys and balances, and reuses no number") {
  const TemporaryFolder folder;
  const std::string path = folder.file("penstock.db");
  const NewSecret secret = make_secret();
  const NewSecret join = make_secret();
  AccountId account{};
  Lease lease;
  Money owed;
  {
    OpenedStore opened = open(path);
    ControlPlane plane({}, PriceTable::standard(), std::move(opened.state));
    Instant now = kNow;
    const auto apply = [&](const Command& command) {
      Actions actions = plane.apply(command, now);
      opened.store->append_all(records_of(actions));
      REQUIRE_FALSE(actions.refused);
      return actions;
    };
    opened.store->append_all(records_of(plane.recover(now)));
    apply(CreateAccount{"team"});
    account = plane.find_account("team")->id;
    CreateCredential key;
    key.account = account;
    key.label = "laptop";
    key.hash = secret.hash;
    apply(key);
    CreateCredential token;
    token.kind = CredentialKind::join_token;
    token.label = "pool";
    token.hash = join.hash;
    apply(token);
    apply(RegisterExecutor{"host", std::string(64, 'a'), KeyId{2}, {{"cpu", 1, kGiB}}});
    const Actions granted = apply(RequestLease{RequestId{1}, account, {}});
    for (const Action& action : granted.list)
      if (const auto* grant = std::get_if<RequestGranted>(&action)) lease = grant->lease;
    now = now + 3s;
    apply(ReportUsage{lease.id, lease.epoch, 1, {.device_nanoseconds = 2'000'000'000}});
    owed = plane.meter().ledger().balance(account);
    CHECK(owed == Money{20'000});
    apply(RevokeCredential{KeyId{2}});
    REQUIRE(flushed(*opened.store).ok());
  }
  CHECK(bytes_of(path).find(secret.random) == std::string::npos);
  CHECK(bytes_of(path).find(secret.hash) != std::string::npos);

  OpenedStore opened = open(path);
  ControlPlane plane({}, PriceTable::standard(), std::move(opened.state));
  const Actions recovered = plane.recover(kNow + 60s);
  bool ended = false;
  for (const Record& record : records_of(recovered))
    if (const auto* old = std::get_if<LeaseRecord>(&record))
      ended = old->id == lease.id && old->reason == EndReason::gateway_restarted;
  CHECK(ended);
  CHECK(plane.find_account("team")->id == account);
  CHECK(plane.meter().ledger().balance(account) == owed);
  CHECK(plane.meter().statement(lease.id)->total == owed);
  CHECK(plane.meter().days(account, 0).front().usage.device_nanoseconds == 2'000'000'000);
  const auto key = parse_secret(secret_text(CredentialKind::api_key, KeyId{1}, secret.random));
  CHECK(check_secret(*key, plane.credential(KeyId{1}), kNow).ok());
  const auto token = parse_secret(secret_text(CredentialKind::join_token, KeyId{2}, join.random));
  CHECK(check_secret(*token, plane.credential(KeyId{2}), kNow).error().code ==
        ErrorCode::permission_denied);
  CHECK(plane.credentials().size() == 2);
}
