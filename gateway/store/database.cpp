#include "gateway/store/database.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace penstock::gateway {
namespace {

// "penstock" cut to 32 bits: says whose file it is (file(1) and we look at it).
constexpr std::int64_t kApplicationId = 0x70656e73;

constexpr const char* kTables = R"sql(
CREATE TABLE schema_version(version INTEGER NOT NULL);
CREATE TABLE accounts(id INTEGER PRIMARY KEY, name TEXT NOT NULL, created_at INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL);
CREATE TABLE credentials(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, use INTEGER NOT NULL,
  account INTEGER NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL, revoked_at INTEGER NOT NULL, used_by TEXT NOT NULL);
CREATE TABLE executors(fingerprint TEXT NOT NULL, name TEXT NOT NULL, id INTEGER NOT NULL,
  joined_at INTEGER NOT NULL, PRIMARY KEY(fingerprint, name)) WITHOUT ROWID;
CREATE TABLE leases(id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL UNIQUE,
  account INTEGER NOT NULL, device_class TEXT NOT NULL, device_count INTEGER NOT NULL,
  nanos_per_device_second INTEGER NOT NULL, nanos_per_gib_in INTEGER NOT NULL,
  nanos_per_gib_out INTEGER NOT NULL, granted_at INTEGER NOT NULL, ended_at INTEGER NOT NULL,
  reason INTEGER NOT NULL);
CREATE TABLE usage(lease INTEGER NOT NULL, day INTEGER NOT NULL, account INTEGER NOT NULL,
  device_nanoseconds INTEGER NOT NULL, bytes_in INTEGER NOT NULL, bytes_out INTEGER NOT NULL,
  steps INTEGER NOT NULL, amount INTEGER NOT NULL, sequence_floor INTEGER NOT NULL,
  PRIMARY KEY(lease, day)) WITHOUT ROWID;
CREATE INDEX usage_by_account ON usage(account, day);
CREATE TABLE ledger(number INTEGER PRIMARY KEY, txn INTEGER NOT NULL, at INTEGER NOT NULL,
  account INTEGER NOT NULL, amount INTEGER NOT NULL, lease INTEGER NOT NULL,
  line INTEGER NOT NULL);
CREATE INDEX ledger_by_account ON ledger(account, number);
CREATE TRIGGER ledger_is_not_changed BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_not_cut BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TABLE counters(id INTEGER PRIMARY KEY CHECK(id = 1), leases_until INTEGER NOT NULL,
  epochs_until INTEGER NOT NULL, executors_until INTEGER NOT NULL);
)sql";

// In the order of Record's alternatives.
constexpr std::array kWrites = {
    "INSERT OR REPLACE INTO accounts VALUES(?,?,?,?)",
    "INSERT OR REPLACE INTO credentials VALUES(?,?,?,?,?,?,?,?,?,?)",
    "INSERT OR REPLACE INTO executors VALUES(?,?,?,?)",
    // An epoch that is taken must be an error, which OR REPLACE would hide.
    "INSERT INTO leases VALUES(?,?,?,?,?,?,?,?,?,?,?) "
    "ON CONFLICT(id) DO UPDATE SET ended_at = excluded.ended_at, reason = excluded.reason",
    "INSERT OR REPLACE INTO usage VALUES(?,?,?,?,?,?,?,?,?)",
    "INSERT INTO ledger VALUES(?,?,?,?,?,?,?)",
    "INSERT OR REPLACE INTO counters VALUES(1,?,?,?)",
};
static_assert(kWrites.size() == std::variant_size_v<Record>);

/// Binds one record to its statement.
struct Binder {
  PreparedStatement& to;

  void operator()(const AccountRecord& r) const {
    to.bind(r.id).bind(r.name).bind(r.created_at).bind(r.revoked_at);
  }
  void operator()(const CredentialRecord& r) const {
    to.bind(r.id).bind(r.kind).bind(r.use).bind(r.account).bind(r.label).bind(r.hash);
    to.bind(r.created_at).bind(r.expires_at).bind(r.revoked_at).bind(r.used_by);
  }
  void operator()(const ExecutorRecord& r) const {
    to.bind(r.fingerprint).bind(r.name).bind(r.id).bind(r.joined_at);
  }
  void operator()(const LeaseRecord& r) const {
    to.bind(r.id).bind(r.epoch).bind(r.account).bind(r.device_class).bind(r.device_count);
    to.bind(r.price.nanos_per_device_second).bind(r.price.nanos_per_gib_in);
    to.bind(r.price.nanos_per_gib_out).bind(r.granted_at).bind(r.ended_at).bind(r.reason);
  }
  void operator()(const UsageRecord& r) const {
    to.bind(r.lease).bind(r.day).bind(r.account).bind(r.usage.device_nanoseconds);
    to.bind(r.usage.bytes_in).bind(r.usage.bytes_out).bind(r.usage.steps).bind(r.amount);
    to.bind(r.sequence_floor);
  }
  void operator()(const LedgerEntry& r) const {
    to.bind(r.number).bind(r.transaction).bind(r.at).bind(r.account).bind(r.amount).bind(r.lease);
    to.bind(r.line);
  }
  void operator()(const CountersRecord& r) const {
    to.bind(r.leases_until).bind(r.epochs_until).bind(r.executors_until);
  }
};

/// SQLite would make it readable for all that the umask lets.
Status make_private_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return Error{ErrorCode::failed_precondition, "store " + path +
                                                     ": cannot be opened: " + std::strerror(errno) +
                                                     "; check the folder and its permissions"};
  ::close(file);
  return {};
}

Status make_tables(SqliteHandle& handle) {
  PENSTOCK_TRY(handle.execute("BEGIN IMMEDIATE"));
  PENSTOCK_TRY(handle.execute(kTables));
  PENSTOCK_ASSIGN(PreparedStatement version,
                  handle.prepare("INSERT INTO schema_version VALUES(?)"));
  PENSTOCK_TRY(version.bind(kSchemaVersion).run());
  const std::string mark = "PRAGMA application_id=" + std::to_string(kApplicationId);
  PENSTOCK_TRY(handle.execute(mark.c_str()));
  return handle.execute("COMMIT");
}

Status check_version(SqliteHandle& handle, const std::string& path) {
  PENSTOCK_ASSIGN(const std::int64_t owner, handle.integer("PRAGMA application_id"));
  if (owner != kApplicationId)
    return Error{ErrorCode::failed_precondition,
                 "store " + path + ": it is another program's SQLite file; choose another path"};
  PENSTOCK_ASSIGN(const std::int64_t version, handle.integer("SELECT version FROM schema_version"));
  if (version > kSchemaVersion)
    return Error{ErrorCode::failed_precondition,
                 "store " + path + ": it has schema version " + std::to_string(version) +
                     ", and this gateway knows up to " + std::to_string(kSchemaVersion) +
                     "; start a newer gateway, or restore a backup"};
  if (version == kSchemaVersion) return {};
  return Error{ErrorCode::data_loss, "store " + path + ": schema version " +
                                         std::to_string(version) +
                                         " never existed; restore a backup"};
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  PENSTOCK_TRY(make_private_file(path));
  PENSTOCK_ASSIGN(SqliteHandle handle, SqliteHandle::open(path));
  // One gateway per file; the first statement below takes the lock.
  PENSTOCK_TRY(handle.execute("PRAGMA locking_mode=EXCLUSIVE"));
  PENSTOCK_TRY(handle.execute("PRAGMA journal_mode=WAL"));
  PENSTOCK_TRY(handle.execute("PRAGMA synchronous=FULL"));
  PENSTOCK_ASSIGN(const std::string health, handle.text("PRAGMA quick_check(1)"));
  if (health != "ok")
    return Error{ErrorCode::data_loss, "store " + path + ": it is damaged: " + health +
                                           "; restore a backup, or move it away to start anew"};
  PENSTOCK_ASSIGN(const std::int64_t tables, handle.integer("SELECT count(*) FROM sqlite_master"));
  if (tables == 0) {
    PENSTOCK_TRY(make_tables(handle));
  } else {
    PENSTOCK_TRY(check_version(handle, path));
  }
  std::unique_ptr<Database> out(new Database(std::move(handle)));
  PENSTOCK_TRY(out->prepare_writes());
  return out;
}

Status Database::prepare_writes() {
  for (const char* sql : kWrites) {
    PENSTOCK_ASSIGN(PreparedStatement statement, handle_.prepare(sql));
    writes_.push_back(std::move(statement));
  }
  return {};
}

Status Database::write(const Record& record) {
  PreparedStatement& statement = writes_[record.index()];
  std::visit(Binder{statement}, record);
  return statement.run();
}

}  // namespace penstock::gateway
