#include <algorithm>

#include "tests/sim/world.h"

/// The simulator's own books, kept from the actions alone, and their comparison with the plane.
namespace penstock::gateway {
namespace {

constexpr std::size_t kTranscriptMax = 60;
constexpr std::size_t kGoneMax = 40;
constexpr std::uint64_t kMoneyEverySteps = 20;

/// round(quantity * price / unit), halves up; small numbers only.
std::int64_t rounded(std::int64_t quantity, std::int64_t price, std::int64_t unit) {
  return (2 * quantity * price + unit) / (2 * unit);
}

std::string number(LeaseId lease) {
  return std::to_string(lease.value);
}

}  // namespace

void World::note(const Actions& actions, const Command& command) {
  if (const auto* freed = std::get_if<DevicesFreed>(&command)) {
    if (Host* host = find_host(freed->executor)) host->to_stop.erase(freed->lease);
    if (!actions.refused) {
      see(Event::freed);
      unconfirmed_[freed->lease].erase(freed->executor);
      for (auto at = holders_.begin(); at != holders_.end();)
        at = at->first.executor == freed->executor && at->second == freed->lease
                 ? holders_.erase(at)
                 : std::next(at);
    }
  }
  if (const auto* lost = std::get_if<ExecutorLost>(&command); lost && !actions.refused)
    forget(lost->executor);
  if (const auto* report = std::get_if<ReportUsage>(&command); report && !actions.refused)
    count(*report);

  if (actions.refused) transcript_.push_back("refused: " + actions.refused->message);
  for (const Action& action : actions.list) {
    std::string line = describe(action);
    for (const char c : line)
      digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    transcript_.push_back(std::to_string(now_.ns) + " " + std::move(line));
    std::visit([this](const auto& what) { on(what); }, action);
  }
  if (transcript_.size() > 2 * kTranscriptMax)
    transcript_.erase(transcript_.begin(), transcript_.end() - kTranscriptMax);
}

World::Host* World::find_host(ExecutorId executor) {
  for (Host& host : hosts_)
    if (host.id == executor && executor) return &host;
  return nullptr;
}

void World::forget(ExecutorId executor) {
  if (Host* host = find_host(executor)) {
    host->id = {};
    host->to_start.clear();
    host->to_stop.clear();
  }
  for (auto& [lease, executors] : unconfirmed_) executors.erase(executor);
  for (auto at = holders_.begin(); at != holders_.end();)
    at = at->first.executor == executor ? holders_.erase(at) : std::next(at);
}

void World::count(const ReportUsage& report) {
  Books& books = books_[report.lease];
  if (!books.counted.insert(report.sequence).second) return;
  books.usage.device_nanoseconds += report.usage.device_nanoseconds;
  books.usage.bytes_in += report.usage.bytes_in;
  books.usage.bytes_out += report.usage.bytes_out;
  books.usage.steps += report.usage.steps;
}

void World::on(const Persist& action) {
  const auto* entry = std::get_if<LedgerEntry>(&action.record);
  if (entry == nullptr) return;
  if (entry->number != last_ledger_number_ + 1) fail("a ledger number was skipped or repeated");
  last_ledger_number_ = entry->number;
  ledger_[entry->account] += entry->amount.nanos;
}

void World::on(const ExecutorJoined& action) {
  for (Host& host : hosts_)
    if (host.name == action.name) host.id = action.executor;
}

void World::on(const DropExecutor& action) {
  Host* host = find_host(action.executor);
  if (host == nullptr) return fail("an unknown executor was dropped");
  if (host->silent) see(Event::executor_lost_by_silence);
  forget(action.executor);
}

void World::on(const RequestGranted& action) {
  see(Event::granted);
  const auto found = requests_.find(action.request);
  if (found == requests_.end()) return fail("a request was granted that nobody waits for");
  const Request request = found->second;
  const Lease& lease = action.lease;
  if (now_ != request.at && now_ >= request.at + request.terms.max_wait)
    fail("request " + std::to_string(action.request.value) + " was granted after its max_wait");
  if (!arrival_.empty() && arrival_.front() != action.request)
    fail("request " + std::to_string(action.request.value) + " passed an earlier one, " +
         std::to_string(arrival_.front().value));
  if (lease.epoch <= last_epoch_) fail("lease " + number(lease.id) + ": its epoch did not grow");
  last_epoch_ = lease.epoch;
  if (lease.devices.size() != request.terms.device_count) fail("wrong number of devices");
  for (const DeviceId device : lease.devices) {
    const Host* host = find_host(device.executor);
    if (host == nullptr || device.index >= host->devices.size())
      return fail("lease " + number(lease.id) + " has a device that is not there");
    if (host->devices[device.index].memory_bytes < request.terms.memory_bytes_min)
      fail("lease " + number(lease.id) + " has a device with too little memory");
    if (!holders_.emplace(device, lease.id).second)
      fail("a device is in lease " + number(lease.id) + " and in lease " +
           number(holders_[device]));
    unconfirmed_[lease.id].insert(device.executor);
  }
  books_[lease.id].account = lease.account;
  clients_[lease.id] = {.lease = lease.id, .epoch = lease.epoch, .ready = false, .sent = {}};
  arrival_.erase(std::remove(arrival_.begin(), arrival_.end(), action.request), arrival_.end());
  requests_.erase(found);
}

void World::on(const RequestQueued& action) {
  see(Event::queued);
  const auto found = requests_.find(action.request);
  if (found == requests_.end() || found->second.queued) return fail("queued twice or unknown");
  found->second.queued = true;
  arrival_.push_back(action.request);
}

void World::on(const RequestRefused& action) {
  if (requests_.erase(action.request) == 0) return fail("an unknown request was refused");
  arrival_.erase(std::remove(arrival_.begin(), arrival_.end(), action.request), arrival_.end());
  if (action.error.code == ErrorCode::deadline_exceeded) see(Event::refused_late);
  if (action.error.code == ErrorCode::invalid_argument) see(Event::refused_impossible);
}

void World::on(const StartOnExecutor& action) {
  Host* host = find_host(action.executor);
  if (host == nullptr) return fail("a start went to an executor that is gone");
  host->to_start.insert(action.lease);
}

void World::on(const StopOnExecutor& action) {
  Host* host = find_host(action.executor);
  if (host == nullptr) return fail("a stop went to an executor that is gone");
  host->to_start.erase(action.lease);
  if (!host->to_stop.emplace(action.lease, action.epoch).second) see(Event::stop_repeated);
}

void World::on(const LeaseReady& action) {
  see(Event::ready);
  clients_.at(action.lease).ready = true;
}

void World::on(const LeaseRenewed& action) {
  see(Event::renewed);
  if (action.expires_at <= now_)
    fail("lease " + number(action.lease) + " was renewed into the past");
}

void World::on(const LeaseEnded& action) {
  const auto found = clients_.find(action.lease);
  if (found == clients_.end()) return fail("lease " + number(action.lease) + " ended twice");
  gone_.push_back(std::move(found->second));
  if (gone_.size() > kGoneMax) gone_.erase(gone_.begin());
  clients_.erase(found);
  switch (action.reason) {
    case EndReason::released:
      return see(Event::released);
    case EndReason::expired:
      return see(Event::expired);
    case EndReason::client_lost:
      return see(Event::client_lost);
    case EndReason::start_failed:
      return see(Event::start_failed);
    case EndReason::worker_failed:
      return see(Event::worker_failed);
    case EndReason::executor_lost:
    case EndReason::account_revoked:
      return;
    case EndReason::none:
    case EndReason::gateway_restarted:
      return fail("lease " + number(action.lease) + " ended for no reason");
  }
}

void World::on(const LeaseClosed& action) {
  if (!unconfirmed_[action.lease].empty())
    fail("lease " + number(action.lease) + " closed before every executor had confirmed");
  if (clients_.count(action.lease) > 0) fail("a lease closed before it ended");
  unconfirmed_.erase(action.lease);
}

void World::on(const UsageCounted& action) {
  see(Event::usage_counted);
  books_[action.lease].charged += action.charged.nanos;
  if (books_[action.lease].charged != action.total.nanos)
    fail("lease " + number(action.lease) + ": the charges do not sum to its total");
  if (action.total.nanos != owed(books_[action.lease]))
    fail("lease " + number(action.lease) + ": total " + std::to_string(action.total.nanos) +
         " billionths, expected " + std::to_string(owed(books_[action.lease])));
}

/// By the standard table's cpu row, written out: 10,000 per second, 0 in, 20,000,000 per GiB out.
std::int64_t World::owed(const Books& books) const {
  return rounded(books.usage.device_nanoseconds, 10'000, 1'000'000'000) +
         rounded(books.usage.bytes_out, 20'000'000, 1'073'741'824);
}

void World::check() {
  check_devices();
  check_requests();
  if (++steps_ % kMoneyEverySteps == 0) check_money();
  if (const auto next = plane_.next_deadline(); next && *next <= now_)
    fail("a deadline is past and nothing happened");
}

void World::check_devices() {
  std::size_t held = 0;
  for (const auto& [id, executor] : plane_.pool().executors())
    for (std::uint32_t i = 0; i < executor.devices.size(); ++i) {
      const PooledDevice& device = executor.devices[i];
      const auto holder = holders_.find({id, i});
      const LeaseId expected = holder == holders_.end() ? LeaseId{} : holder->second;
      if (device.lease != expected)
        fail("executor " + std::to_string(id.value) + " device " + std::to_string(i) +
             " is in lease " + number(device.lease) + ", expected " + number(expected));
      if ((device.state == DeviceState::free) != !expected) fail("a held device counts as free");
      if (expected) ++held;
    }
  if (held != holders_.size()) fail("a held device left the pool without its executor");
}

void World::check_requests() {
  for (const auto& [id, request] : requests_) {
    if (!request.queued) fail("request " + std::to_string(id.value) + " got no answer");
    if (now_ >= request.at + request.terms.max_wait)
      fail("request " + std::to_string(id.value) + " still waits after its max_wait");
  }
  if (plane_.queue().size() != requests_.size()) fail("the queue holds what nobody waits for");
}

void World::check_money() {
  const Ledger& ledger = plane_.meter().ledger();
  if (ledger.total() != Money{}) fail("the ledger does not sum to zero");
  std::map<AccountId, std::int64_t> expected;
  for (const auto& [lease, books] : books_) {
    expected[books.account] += owed(books);
    expected[kRevenueAccount] -= owed(books);
    if (plane_.meter().usage(lease) != books.usage)
      fail("lease " + number(lease) + ": its usage differs from its reports");
  }
  for (const AccountId account : accounts_) {
    std::int64_t days = 0;
    for (const DayUsage& day : plane_.meter().days(account, 0)) days += day.amount.nanos;
    if (days != expected[account])
      fail("account " + std::to_string(account.value) + ": its days do not sum to what it owes");
  }
  for (const auto& [account, nanos] : expected)
    if (ledger_[account] != nanos || ledger.balance(account) != Money{nanos})
      fail("account " + std::to_string(account.value) + ": the balance is not what its leases owe");
}

}  // namespace penstock::gateway
