#include <string>
#include <utility>

#include "gateway/store/database.h"

/// Reading the tables back at the start.
namespace penstock::gateway {
namespace {

// The newest leases, and those that an earlier run left open.
constexpr const char* kRecentLeases =
    "CREATE TEMP VIEW IF NOT EXISTS recent_leases AS SELECT id FROM leases "
    "WHERE reason = 0 OR id > (SELECT max(id) FROM leases) - 10000";

constexpr const char* kAccounts =
    "SELECT id, name, created_at, revoked_at FROM accounts ORDER BY id";
constexpr const char* kCredentials =
    "SELECT id, kind, use, account, label, hash, created_at, expires_at, revoked_at, used_by "
    "FROM credentials ORDER BY id";
constexpr const char* kExecutors =
    "SELECT fingerprint, name, id, joined_at FROM executors ORDER BY id DESC LIMIT 10000";
constexpr const char* kLeases =
    "SELECT id, epoch, account, device_class, device_count, nanos_per_device_second, "
    "nanos_per_gib_in, nanos_per_gib_out, granted_at, ended_at, reason FROM leases "
    "WHERE id IN recent_leases ORDER BY id";
constexpr const char* kUsage =
    "SELECT lease, account, day, device_nanoseconds, bytes_in, bytes_out, steps, amount, "
    "sequence_floor FROM usage WHERE lease IN recent_leases ORDER BY lease, day";
constexpr const char* kDays =
    "SELECT account, day, sum(device_nanoseconds), sum(bytes_in), sum(bytes_out), sum(steps), "
    "sum(amount) FROM usage GROUP BY account, day ORDER BY account, day";
constexpr const char* kBalances = "SELECT account, sum(amount) FROM ledger GROUP BY account";
constexpr const char* kLedgerEnd =
    "SELECT coalesce(max(number), 0), coalesce(max(txn), 0) FROM ledger";
constexpr const char* kCounters =
    "SELECT leases_until, epochs_until, executors_until FROM counters WHERE id = 1";

template <class... Fields>
void read_all(PreparedStatement& row, Fields&... fields) {
  (row.read(fields), ...);
}

void read_row(PreparedStatement& row, AccountRecord& r) {
  read_all(row, r.id, r.name, r.created_at, r.revoked_at);
}
void read_row(PreparedStatement& row, CredentialRecord& r) {
  read_all(row, r.id, r.kind, r.use, r.account, r.label, r.hash, r.created_at, r.expires_at,
           r.revoked_at, r.used_by);
}
void read_row(PreparedStatement& row, ExecutorRecord& r) {
  read_all(row, r.fingerprint, r.name, r.id, r.joined_at);
}
void read_row(PreparedStatement& row, LeaseRecord& r) {
  read_all(row, r.id, r.epoch, r.account, r.device_class, r.device_count,
           r.price.nanos_per_device_second, r.price.nanos_per_gib_in, r.price.nanos_per_gib_out,
           r.granted_at, r.ended_at, r.reason);
}
void read_row(PreparedStatement& row, UsageRecord& r) {
  read_all(row, r.lease, r.account, r.day, r.usage.device_nanoseconds, r.usage.bytes_in,
           r.usage.bytes_out, r.usage.steps, r.amount, r.sequence_floor);
}
void read_row(PreparedStatement& row, DayUsage& r) {
  read_all(row, r.account, r.day, r.usage.device_nanoseconds, r.usage.bytes_in, r.usage.bytes_out,
           r.usage.steps, r.amount);
}
void read_row(PreparedStatement& row, std::pair<AccountId, Money>& r) {
  read_all(row, r.first, r.second);
}
void read_row(PreparedStatement& row, std::pair<std::uint64_t, std::uint64_t>& r) {
  read_all(row, r.first, r.second);
}
void read_row(PreparedStatement& row, CountersRecord& r) {
  read_all(row, r.leases_until, r.epochs_until, r.executors_until);
}

template <class Row>
Result<std::vector<Row>> rows(SqliteHandle& handle, const char* sql) {
  PENSTOCK_ASSIGN(PreparedStatement statement, handle.prepare(sql));
  std::vector<Row> out;
  for (;;) {
    PENSTOCK_ASSIGN(const bool more, statement.next());
    if (!more) return out;
    read_row(statement, out.emplace_back());
  }
}

Error damaged(const std::string& what) {
  return {ErrorCode::data_loss, "store: " + what + "; restore a backup"};
}

/// Numbers that no gateway has written come from a damaged file or another hand.
Status check_values(const StoredState& state) {
  for (const CredentialRecord& r : state.credentials)
    if (static_cast<unsigned>(r.kind) > static_cast<unsigned>(CredentialKind::join_token) ||
        static_cast<unsigned>(r.use) > static_cast<unsigned>(CredentialUse::once))
      return damaged("credential " + std::to_string(r.id.value) + " has an unknown kind");
  for (const LeaseRecord& r : state.leases)
    if (static_cast<unsigned>(r.reason) > static_cast<unsigned>(EndReason::gateway_restarted))
      return damaged("lease " + std::to_string(r.id.value) + " ended for an unknown reason");
  Money sum;
  for (const auto& [account, amount] : state.ledger.balances) sum = sum + amount;
  if (sum != Money{})
    return damaged("the ledger sums to " + std::to_string(sum.nanos) +
                   " billionths and not to zero");
  return {};
}

}  // namespace

Result<StoredState> Database::load() {
  StoredState out;
  PENSTOCK_TRY(handle_.execute(kRecentLeases));
  PENSTOCK_ASSIGN(out.accounts, rows<AccountRecord>(handle_, kAccounts));
  PENSTOCK_ASSIGN(out.credentials, rows<CredentialRecord>(handle_, kCredentials));
  PENSTOCK_ASSIGN(out.executors, rows<ExecutorRecord>(handle_, kExecutors));
  PENSTOCK_ASSIGN(out.leases, rows<LeaseRecord>(handle_, kLeases));
  PENSTOCK_ASSIGN(out.usage, rows<UsageRecord>(handle_, kUsage));
  PENSTOCK_ASSIGN(out.days, rows<DayUsage>(handle_, kDays));
  using Balance = std::pair<AccountId, Money>;
  PENSTOCK_ASSIGN(const std::vector<Balance> balances, rows<Balance>(handle_, kBalances));
  for (const auto& [account, amount] : balances) out.ledger.balances[account] = amount;
  using LedgerEnd = std::pair<std::uint64_t, std::uint64_t>;
  PENSTOCK_ASSIGN(const std::vector<LedgerEnd> end, rows<LedgerEnd>(handle_, kLedgerEnd));
  out.ledger.entries = end.front().first;
  out.ledger.transactions = end.front().second;
  PENSTOCK_ASSIGN(const std::vector<CountersRecord> counters,
                  rows<CountersRecord>(handle_, kCounters));
  if (!counters.empty()) out.counters = counters.front();
  PENSTOCK_TRY(check_values(out));
  return out;
}

}  // namespace penstock::gateway
