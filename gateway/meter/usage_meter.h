#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "gateway/records.h"

namespace penstock::gateway {

/// One line of a bill.
struct StatementLine {
  LineKind kind = LineKind::device_time;
  std::int64_t quantity = 0;        // nanoseconds, or bytes
  std::int64_t nanos_per_unit = 0;  // per device-second, or per GiB
  Money amount{};
  bool operator==(const StatementLine&) const = default;
};

/// A lease's bill: what it used and what that costs. `total` is the sum of the lines.
struct Statement {
  LeaseId lease;
  AccountId account{};
  Usage usage{};
  std::vector<StatementLine> lines;
  Money total;
  bool operator==(const Statement&) const = default;
};

/// The lines for `usage` at `price`; each is rounded once.
/// Errors: invalid_argument past 2^62 billionths of money
Result<std::vector<StatementLine>> statement_lines(const Usage& usage, const Price& price);

/// Days since 1970 (UTC) of a wall-clock instant.
std::int32_t day_of(Instant at);

/// One report of a lease's leader: what was used since its previous one. Every number is counted
/// once, in whatever order the reports arrive.
struct UsageReport {
  LeaseId lease;
  std::uint64_t sequence = 0;  // 1, 2, 3, ... within the lease
  Usage usage{};
};

/// What a report led to.
struct Counted {
  bool repeated = false;  // this number had been counted before; nothing has changed
  Money charged;          // by this report
  std::vector<LedgerEntry> entries;
  std::optional<UsageRecord> record;
};

/// Sums usage per lease, per account and day, and posts it to the ledger so that at every moment an
/// account's balance is the sum of its rounded statement lines.
class UsageMeter {
 public:
  /// Reports of a lease may arrive this far ahead of a missing one.
  static constexpr std::uint64_t kReportsAheadMax = 1024;
  /// Per report: about 13 days on 1024 devices, 1 PiB, 10^12 steps.
  static constexpr std::int64_t kDeviceNanosecondsMax = std::int64_t{1} << 60;
  static constexpr std::int64_t kBytesMax = std::int64_t{1} << 50;
  static constexpr std::int64_t kStepsMax = 1'000'000'000'000;
  /// Bills of this many ended leases are kept in memory; the store has all.
  static constexpr std::size_t kEndedLeasesMax = 100'000;

  void restore(const StoredState& state);

  void open(const LeaseRecord& lease);
  /// No report is accepted from here on. The bill stays readable.
  void close(LeaseId lease);

  /// Errors: invalid_argument for a number out of range; not_found for a lease that is not open;
  ///         failed_precondition too far ahead of a missing report. Nothing has changed then
  Result<Counted> count(const UsageReport& report, Instant now);

  /// Whether the lease's report `sequence` has been counted.
  bool counted(LeaseId lease, std::uint64_t sequence) const;
  /// What a known lease has used so far; nothing for an unknown one.
  Usage usage(LeaseId lease) const;
  std::optional<Statement> statement(LeaseId lease) const;
  /// Use per day, oldest first, from `first_day` on.
  std::vector<DayUsage> days(AccountId account, std::int32_t first_day) const;
  const Ledger& ledger() const { return ledger_; }

 private:
  struct Meter {
    LeaseRecord lease;
    Usage total;
    UsageRecord day;
    std::uint64_t floor = 0;
    std::set<std::uint64_t> ahead;
    bool open = false;
  };

  Status check_sequence(const Meter& meter, std::uint64_t sequence) const;
  Status post(Meter& meter, const Usage& next, Instant now, Counted& out);

  std::map<LeaseId, Meter> meters_;
  std::map<std::pair<AccountId, std::int32_t>, DayUsage> days_;
  std::set<LeaseId> ended_;
  Ledger ledger_;
};

}  // namespace penstock::gateway
