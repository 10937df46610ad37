#include "tests/sim/world.h"

#include <algorithm>
#include <utility>

namespace penstock::gateway {
namespace {

constexpr Instant kStart{1'767'225'600'000'000'000};

ControlOptions options() {
  ControlOptions out;
  out.limits.queue_per_account_max = 12;
  return out;
}

}  // namespace

std::string_view name(Event event) {
  constexpr std::array<std::string_view, static_cast<std::size_t>(Event::count)> kNames = {
      "granted",
      "queued",
      "refused_impossible",
      "refused_late",
      "cancelled",
      "ready",
      "renewed",
      "expired",
      "released",
      "client_lost",
      "executor_lost_by_word",
      "executor_lost_by_silence",
      "executor_rejoined",
      "start_failed",
      "worker_failed",
      "stop_repeated",
      "freed",
      "stale_report_refused",
      "repeated_report",
      "usage_counted",
      "account_revoked",
      "clock_jump",
      "stale_command_refused"};
  return kNames[static_cast<std::size_t>(event)];
}

World::World(std::uint64_t seed)
    : random_(seed), now_(kStart), plane_(options(), PriceTable::standard()) {
  plane_.recover(now_);
  CreateCredential token;
  token.kind = CredentialKind::join_token;
  token.label = "pool";
  token.hash = "x";
  apply(token);
  token_ = plane_.credentials().begin()->first;
  for (int i = 0; i < 3; ++i) apply(CreateAccount{"account " + std::to_string(i)});
  for (const auto& [id, account] : plane_.accounts()) accounts_.push_back(id);
  for (int i = 0; i < 4; ++i) {
    Host host;
    host.name = "host" + std::to_string(i);
    host.fingerprint = std::string(64, static_cast<char>('a' + i));
    host.devices.resize(1 + random_.below(3));
    for (DeviceSpec& device : host.devices) device = {"cpu", 1, kGiB << random_.below(2)};
    hosts_.push_back(std::move(host));
  }
  for (Host& host : hosts_) join(host);
}

void World::apply(const Command& command) {
  const Actions actions = plane_.apply(command, now_);
  note(actions, command);
}

std::string World::step() {
  act();
  if (failure_.empty()) check();
  return failure_;
}

void World::fail(std::string what) {
  if (failure_.empty()) failure_ = std::move(what);
}

void World::act() {
  const std::uint64_t draw = random_.below(100);
  if (draw < 20) return request();
  if (draw < 50) return act_client();
  if (draw < 78) return act_host();
  if (draw < 84) return act_stale();
  if (draw == 84 && accounts_.size() > 1 && chance(30)) {
    const AccountId account = accounts_.back();
    accounts_.pop_back();
    see(Event::account_revoked);
    return apply(RevokeAccount{account});
  }
  pass_time();
}

void World::pass_time() {
  Nanoseconds span{static_cast<std::int64_t>(random_.below(3'000'000'000))};
  if (chance(6)) {
    span = Nanoseconds(static_cast<std::int64_t>(random_.below(90)) * 1'000'000'000);
    see(Event::clock_jump);
  } else if (chance(30)) {
    // To the very instant at which something is due.
    if (const auto next = plane_.next_deadline(); next && *next > now_) span = *next - now_;
  }
  // Executors that are well beat while the time passes.
  const Instant until = now_ + span;
  while (now_ < until && failure_.empty()) {
    now_ = std::min(until, now_ + 4s);
    for (Host& host : hosts_)
      if (host.id && !host.silent) apply(Heartbeat{host.id});
    apply(Tick{});
  }
}

void World::request() {
  const RequestId id{next_request_++};
  Request made;
  made.account = accounts_[random_.below(accounts_.size())];
  made.terms.device_count = static_cast<std::uint32_t>(1 + random_.below(chance(10) ? 12 : 4));
  made.terms.memory_bytes_min = chance(30) ? 2 * kGiB : 0;
  made.terms.max_wait = Nanoseconds(static_cast<std::int64_t>(random_.below(20)) * 500'000'000);
  made.terms.expiry_period = 5s;
  made.terms.reconnect_grace = Nanoseconds(static_cast<std::int64_t>(random_.below(4)) * 1s);
  made.at = now_;
  requests_[id] = made;
  apply(RequestLease{id, made.account, made.terms});
}

World::Client* World::pick_client() {
  if (clients_.empty()) return nullptr;
  auto at = clients_.begin();
  std::advance(at, static_cast<long>(random_.below(clients_.size())));
  return &at->second;
}

void World::act_client() {
  if (chance(8) && !requests_.empty()) {
    const RequestId id = requests_.begin()->first;
    // It no longer waits whatever the plane says: the answers are checked in note.
    arrival_.erase(std::remove(arrival_.begin(), arrival_.end(), id), arrival_.end());
    requests_.erase(id);
    see(Event::cancelled);
    return apply(CancelRequest{id});
  }
  Client* client = pick_client();
  if (client == nullptr) return;
  const std::uint64_t draw = random_.below(100);
  if (draw < 35) return apply(RenewLease{client->lease, client->epoch});
  if (draw < 45) return apply(ReleaseLease{client->lease, client->epoch});
  if (draw < 52) return apply(ClientLost{client->lease, client->epoch});
  use(*client);
}

void World::use(Client& client) {
  if (!client.ready) return;
  if (!client.sent.empty() && chance(25)) {
    const ReportUsage again = client.sent[random_.below(client.sent.size())];
    see(Event::repeated_report);
    return apply(again);
  }
  ReportUsage report{client.lease, client.epoch, client.next_report++, {}};
  report.usage = {.device_nanoseconds = static_cast<std::int64_t>(random_.below(900'000)),
                  .bytes_in = static_cast<std::int64_t>(random_.below(kMiB)),
                  .bytes_out = static_cast<std::int64_t>(random_.below(kMiB)),
                  .steps = 1};
  client.sent.push_back(report);
  if (chance(15)) return;  // lost on the way; repeated later, out of order
  apply(report);
}

World::Host* World::pick_host(bool connected) {
  std::vector<Host*> found;
  for (Host& host : hosts_)
    if (static_cast<bool>(host.id) == connected) found.push_back(&host);
  return found.empty() ? nullptr : found[random_.below(found.size())];
}

void World::act_host() {
  if (Host* away = pick_host(false); away != nullptr && chance(25)) return join(*away);
  Host* host = pick_host(true);
  if (host == nullptr) return;
  const std::uint64_t draw = random_.below(100);
  if (draw < 3) {
    see(Event::executor_lost_by_word);
    return apply(ExecutorLost{host->id, "connection reset"});
  }
  if (draw < 5) {
    host->silent = true;
    return;
  }
  if (draw < 7) {
    see(Event::executor_rejoined);
    return join(*host);
  }
  host_answers(*host);
}

void World::host_answers(Host& host) {
  if (!host.to_stop.empty() && chance(60)) {
    const auto [lease, epoch] = *host.to_stop.begin();
    return apply(DevicesFreed{host.id, lease, epoch});
  }
  if (!host.to_start.empty()) {
    const LeaseId lease = *host.to_start.begin();
    host.to_start.erase(lease);
    const Lease* known = plane_.lease(lease);
    if (known == nullptr) return;
    const Epoch epoch = known->epoch;
    if (chance(12))
      return apply(LeaseFailed{host.id, lease, epoch, {ErrorCode::internal, "no memory"}});
    return apply(LeaseStarted{host.id, lease, epoch});
  }
  for (const DeviceSpec& device : host.devices) {
    const auto index = static_cast<std::uint32_t>(&device - host.devices.data());
    const auto holder = holders_.find({host.id, index});
    if (holder == holders_.end() || !chance(8)) continue;
    const Lease* known = plane_.lease(holder->second);
    if (known != nullptr && known->state == LeaseState::active)
      return apply(LeaseFailed{
          host.id, known->id, known->epoch, {ErrorCode::internal, "a worker got signal 9"}});
  }
}

void World::join(Host& host) {
  host.silent = false;
  apply(RegisterExecutor{host.name, host.fingerprint, token_, host.devices});
}

/// Words about what is over, or never was.
void World::act_stale() {
  if (gone_.empty()) return;
  Client& old = gone_[random_.below(gone_.size())];
  // Until its devices are free, an ended lease may still report.
  if (plane_.lease(old.lease) != nullptr && chance(50)) return use(old);
  std::vector<Command> late = {RenewLease{old.lease, old.epoch}, ReleaseLease{old.lease, old.epoch},
                               ClientLost{old.lease, old.epoch},
                               DevicesFreed{ExecutorId{999'999}, old.lease, old.epoch},
                               LeaseStarted{ExecutorId{999'999}, old.lease, old.epoch}};
  if (Client* live = pick_client()) {
    late.push_back(RenewLease{live->lease, old.epoch});
    late.push_back(DevicesFreed{ExecutorId{999'999}, live->lease, live->epoch});
    late.push_back(ReportUsage{live->lease, old.epoch, 1, {.device_nanoseconds = 1}});
  }
  const Command& command = late[random_.below(late.size())];
  const Actions actions = plane_.apply(command, now_);
  if (!actions.refused) fail("a stale command was taken");
  see(std::holds_alternative<ReportUsage>(command) ? Event::stale_report_refused
                                                   : Event::stale_command_refused);
  note(actions, command);
}

}  // namespace penstock::gateway
