#include "gateway/meter/usage_meter.h"

#include <algorithm>
#include <string>

namespace penstock::gateway {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosecondsPerDay = 86'400 * kNanosecondsPerSecond;

Result<Usage> sum(const Usage& a, const Usage& b) {
  Usage out;
  PENSTOCK_ASSIGN(out.device_nanoseconds, checked_add(a.device_nanoseconds, b.device_nanoseconds));
  PENSTOCK_ASSIGN(out.bytes_in, checked_add(a.bytes_in, b.bytes_in));
  PENSTOCK_ASSIGN(out.bytes_out, checked_add(a.bytes_out, b.bytes_out));
  PENSTOCK_ASSIGN(out.steps, checked_add(a.steps, b.steps));
  return out;
}

std::string place(const UsageReport& report) {
  return "usage report " + std::to_string(report.sequence) + " of lease " +
         std::to_string(report.lease.value);
}

Status check_range(std::string_view what, std::int64_t value, std::int64_t max) {
  if (value >= 0 && value <= max) return {};
  return invalid(std::string(what) + " " + std::to_string(value) + " is out of [0, " +
                 std::to_string(max) + "]");
}

Status check_ranges(const Usage& usage) {
  PENSTOCK_TRY(check_range("device_nanoseconds", usage.device_nanoseconds,
                           UsageMeter::kDeviceNanosecondsMax));
  PENSTOCK_TRY(check_range("bytes_in", usage.bytes_in, UsageMeter::kBytesMax));
  PENSTOCK_TRY(check_range("bytes_out", usage.bytes_out, UsageMeter::kBytesMax));
  return check_range("steps", usage.steps, UsageMeter::kStepsMax);
}

Result<StatementLine> line(LineKind kind, std::int64_t quantity, std::int64_t nanos_per_unit,
                           std::int64_t unit) {
  PENSTOCK_ASSIGN(const Money amount, charge_for(quantity, nanos_per_unit, unit));
  return StatementLine{kind, quantity, nanos_per_unit, amount};
}

}  // namespace

Result<std::vector<StatementLine>> statement_lines(const Usage& usage, const Price& price) {
  constexpr auto kGib = static_cast<std::int64_t>(kGiB);
  std::vector<StatementLine> lines(3);
  PENSTOCK_ASSIGN(lines[0], line(LineKind::device_time, usage.device_nanoseconds,
                                 price.nanos_per_device_second, kNanosecondsPerSecond));
  PENSTOCK_ASSIGN(lines[1], line(LineKind::bytes_in, usage.bytes_in, price.nanos_per_gib_in, kGib));
  PENSTOCK_ASSIGN(lines[2],
                  line(LineKind::bytes_out, usage.bytes_out, price.nanos_per_gib_out, kGib));
  return lines;
}

std::int32_t day_of(Instant at) {
  return static_cast<std::int32_t>(std::max<std::int64_t>(at.ns, 0) / kNanosecondsPerDay);
}

void UsageMeter::restore(const StoredState& state) {
  for (const LeaseRecord& lease : state.leases) {
    meters_[lease.id] = {.lease = lease, .total = {}, .day = {}, .ahead = {}};
    ended_.insert(lease.id);
  }
  for (const UsageRecord& record : state.usage) {
    const auto found = meters_.find(record.lease);
    if (found == meters_.end()) continue;
    Meter& meter = found->second;
    if (auto total = sum(meter.total, record.usage); total.ok()) meter.total = *total;
    meter.floor = std::max(meter.floor, record.sequence_floor);
    if (record.day >= meter.day.day) meter.day = record;
  }
  for (const DayUsage& day : state.days) days_[{day.account, day.day}] = day;
  ledger_ = Ledger(state.ledger);
}

void UsageMeter::open(const LeaseRecord& lease) {
  meters_[lease.id] = {.lease = lease, .total = {}, .day = {}, .ahead = {}, .open = true};
}

void UsageMeter::close(LeaseId lease) {
  const auto found = meters_.find(lease);
  if (found == meters_.end()) return;
  found->second.open = false;
  ended_.insert(lease);
  if (ended_.size() <= kEndedLeasesMax) return;
  meters_.erase(*ended_.begin());
  ended_.erase(ended_.begin());
}

Status UsageMeter::check_sequence(const Meter& meter, std::uint64_t sequence) const {
  if (sequence == 0) return invalid("reports are numbered from 1");
  if (sequence <= meter.floor || sequence - meter.floor <= kReportsAheadMax) return {};
  return Error{ErrorCode::failed_precondition,
               "report " + std::to_string(meter.floor + 1) + " is still missing, and only " +
                   std::to_string(kReportsAheadMax) + " may be ahead of it: send it again"};
}

Result<Counted> UsageMeter::count(const UsageReport& report, Instant now) {
  const auto found = meters_.find(report.lease);
  if (found == meters_.end() || !found->second.open)
    return Error{ErrorCode::not_found, place(report) + ": the lease is not open"};
  Meter& meter = found->second;
  if (auto status = check_ranges(report.usage); !status.ok())
    return std::move(status).error().in(place(report));
  if (auto status = check_sequence(meter, report.sequence); !status.ok())
    return std::move(status).error().in(place(report));

  Counted out;
  if (report.sequence <= meter.floor || meter.ahead.count(report.sequence) > 0) {
    out.repeated = true;
    return out;
  }
  const std::int32_t today = day_of(now);
  if (meter.day.day != today || meter.day.lease != report.lease)
    meter.day = {.lease = report.lease, .account = meter.lease.account, .day = today, .usage = {}};
  if (auto status = post(meter, report.usage, now, out); !status.ok())
    return std::move(status).error().in(place(report));

  meter.ahead.insert(report.sequence);
  while (!meter.ahead.empty() && *meter.ahead.begin() == meter.floor + 1) {
    meter.ahead.erase(meter.ahead.begin());
    ++meter.floor;
  }
  meter.day.sequence_floor = meter.floor;
  out.record = meter.day;
  return out;
}

/// Adds `next` to the lease, the day and the ledger; each line of the ledger moves by the change of
/// the whole line's rounded amount, so rounding never adds up.
Status UsageMeter::post(Meter& meter, const Usage& next, Instant now, Counted& out) {
  DayUsage& day = days_[{meter.lease.account, meter.day.day}];
  day.account = meter.lease.account;
  day.day = meter.day.day;
  PENSTOCK_ASSIGN(const Usage total, sum(meter.total, next));
  PENSTOCK_ASSIGN(const Usage lease_day, sum(meter.day.usage, next));
  PENSTOCK_ASSIGN(const Usage account_day, sum(day.usage, next));
  PENSTOCK_ASSIGN(const auto before, statement_lines(meter.total, meter.lease.price));
  PENSTOCK_ASSIGN(const auto after, statement_lines(total, meter.lease.price));
  for (std::size_t i = 0; i < after.size(); ++i)
    out.charged = out.charged + after[i].amount + -before[i].amount;
  PENSTOCK_TRY(ledger_.check(meter.lease.account, out.charged));
  for (std::size_t i = 0; i < after.size(); ++i)
    ledger_.charge(meter.lease.account, after[i].amount + -before[i].amount, meter.lease.id,
                   after[i].kind, now, out.entries);
  meter.total = total;
  meter.day.usage = lease_day;
  meter.day.amount = meter.day.amount + out.charged;
  day.usage = account_day;
  day.amount = day.amount + out.charged;
  return {};
}

bool UsageMeter::counted(LeaseId lease, std::uint64_t sequence) const {
  const auto found = meters_.find(lease);
  if (found == meters_.end()) return false;
  return sequence <= found->second.floor || found->second.ahead.count(sequence) > 0;
}

Usage UsageMeter::usage(LeaseId lease) const {
  const auto found = meters_.find(lease);
  return found == meters_.end() ? Usage{} : found->second.total;
}

std::optional<Statement> UsageMeter::statement(LeaseId lease) const {
  const auto found = meters_.find(lease);
  if (found == meters_.end()) return std::nullopt;
  const Meter& meter = found->second;
  auto lines = statement_lines(meter.total, meter.lease.price);
  PENSTOCK_CHECK(lines.ok(), "an amount that was posted no longer fits");
  Statement out{lease, meter.lease.account, meter.total, std::move(lines).value(), {}};
  for (const StatementLine& line : out.lines) out.total = out.total + line.amount;
  return out;
}

std::vector<DayUsage> UsageMeter::days(AccountId account, std::int32_t first_day) const {
  std::vector<DayUsage> out;
  for (auto at = days_.lower_bound({account, first_day});
       at != days_.end() && at->first.first == account; ++at)
    out.push_back(at->second);
  return out;
}

}  // namespace penstock::gateway
