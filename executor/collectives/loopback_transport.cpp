#include "executor/collectives/loopback_transport.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace penstock::collectives {
namespace {

/// (source rank, tag): what a receive is matched by.
using Key = std::pair<Rank, std::uint64_t>;

/// One posted send or receive of a rank.
struct Slot {
  Envelope envelope;
  bool done = false;
  std::optional<Error> error;
};

struct Message {
  std::vector<std::byte> copied;        // buffered
  std::span<const std::byte> borrowed;  // rendezvous: the sender's own bytes
  std::uint64_t sender_slot = 0;        // rendezvous: finished when taken
  Instant deliver_at;
  bool unposted = false;  // arrived before its receive was posted
  std::span<const std::byte> bytes() const { return sender_slot != 0 ? borrowed : copied; }
};

struct Receive {
  std::uint64_t slot = 0;
  std::span<std::byte> into;
};

/// One rank's side. Everything is guarded by the network's mutex: this transport is for tests, and
/// clarity wins over parallel copies.
struct Side {
  std::condition_variable changed;
  std::unordered_map<std::uint64_t, Slot> slots;
  std::map<Key, std::deque<Receive>> receives;
  std::map<Key, std::deque<Message>> arrivals;
  Instant link_free_at;
  std::uint64_t unposted_bytes = 0;
  std::uint64_t unposted_bytes_max = 0;
  bool completed = false;
  bool woken = false;
  std::optional<Error> failure;
};

class Network;

class LoopbackTransport final : public Transport {
 public:
  LoopbackTransport(Network& network, Rank rank) : network_(network), rank_(rank) {}

  Rank rank() const override { return rank_; }
  Rank size() const override;
  Result<Posting> post_send(Envelope to, std::span<const std::byte> bytes) override;
  Result<Posting> post_receive(Envelope from, std::span<std::byte> into) override;
  Result<bool> test(Posting posting) override;
  void abandon(Posting posting) override;
  void idle(Instant deadline) override;
  void wake() override;
  void mark_failed(Rank rank, std::string reason) override;
  const std::optional<Error>& failure() const override { return failure_; }

 private:
  Status check(Envelope envelope, const char* operation);

  Network& network_;
  Rank rank_;
  std::optional<Error> failure_;  // the owner's copy of what was marked
};

class Network final : public LoopbackNetwork {
 public:
  Network(LoopbackOptions options, const Clock& clock)
      : options(options), clock(clock), sides(options.ranks) {
    for (Rank r = 0; r < options.ranks; ++r)
      transports.push_back(std::make_unique<LoopbackTransport>(*this, r));
  }

  Transport& at(Rank rank) override {
    PENSTOCK_CHECK(rank < transports.size());
    return *transports[rank];
  }

  std::uint64_t unposted_bytes_max(Rank rank) const override {
    const std::lock_guard lock(mutex);
    return sides[rank].unposted_bytes_max;
  }

  /// Takes every message of `key` that has both arrived at `rank` and been asked for.
  void match(Rank rank, Key key);

  /// When the next message that waits only for its time is due, if one does.
  std::optional<Instant> next_delivery(Rank rank) const;

  const LoopbackOptions options;
  const Clock& clock;
  mutable std::mutex mutex;
  std::deque<Side> sides;
  std::uint64_t next_slot = 1;
  std::vector<std::unique_ptr<LoopbackTransport>> transports;
};

void finish(Side& side, std::uint64_t slot, std::optional<Error> error) {
  const auto found = side.slots.find(slot);
  if (found == side.slots.end()) return;  // abandoned
  found->second.done = true;
  found->second.error = std::move(error);
  side.completed = true;
  side.changed.notify_all();
}

void Network::match(Rank rank, Key key) {
  Side& side = sides[rank];
  auto& arrivals = side.arrivals[key];
  auto& receives = side.receives[key];
  while (!arrivals.empty() && !receives.empty()) {
    Message& message = arrivals.front();
    if (message.deliver_at > clock.now()) return;
    const Receive receive = receives.front();
    const auto bytes = message.bytes();
    std::optional<Error> error;
    if (bytes.size() != receive.into.size())
      error = size_mismatch({key.first, key.second}, bytes.size(), receive.into.size());
    else if (!bytes.empty())
      std::memcpy(receive.into.data(), bytes.data(), bytes.size());
    if (message.unposted) side.unposted_bytes -= bytes.size();
    if (message.sender_slot != 0) finish(sides[key.first], message.sender_slot, std::nullopt);
    finish(side, receive.slot, std::move(error));
    receives.pop_front();
    arrivals.pop_front();
  }
}

std::optional<Instant> Network::next_delivery(Rank rank) const {
  std::optional<Instant> next;
  for (const auto& [key, arrivals] : sides[rank].arrivals) {
    const auto receives = sides[rank].receives.find(key);
    if (arrivals.empty() || receives == sides[rank].receives.end() || receives->second.empty())
      continue;
    if (!next || arrivals.front().deliver_at < *next) next = arrivals.front().deliver_at;
  }
  return next;
}

Rank LoopbackTransport::size() const {
  return network_.options.ranks;
}

Status LoopbackTransport::check(Envelope envelope, const char* operation) {
  PENSTOCK_TRY(check_envelope(*this, envelope, operation));
  failure_ = network_.sides[rank_].failure;
  if (failure_) return *failure_;
  return {};
}

Result<Posting> LoopbackTransport::post_send(Envelope to, std::span<const std::byte> bytes) {
  const std::lock_guard lock(network_.mutex);
  PENSTOCK_TRY(check(to, "send"));
  Side& mine = network_.sides[rank_];
  Side& theirs = network_.sides[to.peer];
  const std::uint64_t id = network_.next_slot++;
  Message message;
  const Instant now = network_.clock.now();
  message.deliver_at = now + network_.options.latency;
  if (network_.options.bytes_per_second > 0) {
    const auto span = Nanoseconds(static_cast<std::int64_t>(
        static_cast<double>(bytes.size()) * 1e9 / network_.options.bytes_per_second));
    mine.link_free_at = std::max(mine.link_free_at, now) + span;
    message.deliver_at = mine.link_free_at + network_.options.latency;
  }
  mine.slots[id].envelope = to;
  if (network_.options.mode == SendMode::rendezvous) {
    message.borrowed = bytes;
    message.sender_slot = id;
  } else {
    message.copied.assign(bytes.begin(), bytes.end());
    finish(mine, id, std::nullopt);
  }
  const Key key{rank_, to.tag};
  const std::size_t ahead = theirs.arrivals[key].size();
  message.unposted = theirs.receives[key].size() <= ahead;
  if (message.unposted) theirs.unposted_bytes += bytes.size();
  theirs.unposted_bytes_max = std::max(theirs.unposted_bytes_max, theirs.unposted_bytes);
  theirs.arrivals[key].push_back(std::move(message));
  network_.match(to.peer, key);
  theirs.changed.notify_all();  // a message that is due later moves the receiver's wake-up time
  return Posting{id};
}

Result<Posting> LoopbackTransport::post_receive(Envelope from, std::span<std::byte> into) {
  const std::lock_guard lock(network_.mutex);
  PENSTOCK_TRY(check(from, "receive"));
  Side& mine = network_.sides[rank_];
  const std::uint64_t id = network_.next_slot++;
  mine.slots[id].envelope = from;
  const Key key{from.peer, from.tag};
  mine.receives[key].push_back({id, into});
  network_.match(rank_, key);
  return Posting{id};
}

Result<bool> LoopbackTransport::test(Posting posting) {
  const std::lock_guard lock(network_.mutex);
  Side& mine = network_.sides[rank_];
  const auto found = mine.slots.find(posting.value);
  PENSTOCK_CHECK(found != mine.slots.end(), "test of a posting that has ended");
  if (!found->second.done && !mine.failure) return false;
  std::optional<Error> error = std::move(found->second.error);
  if (!found->second.done) error = mine.failure;
  mine.slots.erase(found);
  if (error) return std::move(*error);
  return true;
}

void LoopbackTransport::abandon(Posting posting) {
  const std::lock_guard lock(network_.mutex);
  Side& mine = network_.sides[rank_];
  const auto found = mine.slots.find(posting.value);
  if (found == mine.slots.end()) return;
  const Envelope envelope = found->second.envelope;
  const bool done = found->second.done;
  mine.slots.erase(found);
  if (done) return;
  // Copies happen under the mutex, so nothing is ever half read: forgetting both sides is enough.
  auto& receives = mine.receives[{envelope.peer, envelope.tag}];
  std::erase_if(receives, [&](const Receive& r) { return r.slot == posting.value; });
  auto& sent = network_.sides[envelope.peer].arrivals[{rank_, envelope.tag}];
  std::erase_if(sent, [&](const Message& m) { return m.sender_slot == posting.value; });
}

void LoopbackTransport::idle(Instant deadline) {
  std::unique_lock lock(network_.mutex);
  Side& mine = network_.sides[rank_];
  while (true) {
    for (const auto& [key, arrivals] : mine.arrivals)
      if (!arrivals.empty()) network_.match(rank_, key);
    failure_ = mine.failure;
    const Instant now = network_.clock.now();
    const bool completed = std::exchange(mine.completed, false);
    const bool woken = std::exchange(mine.woken, false);
    if (completed || woken) return;
    if (failure_ || now >= deadline) return;
    Instant until = deadline;
    if (const auto next = network_.next_delivery(rank_)) until = std::min(until, *next);
    const auto span = std::clamp(until - now, Nanoseconds(1000), Nanoseconds(1s));
    // By the system clock because thread sanitizers know only that wait; a jump of it costs at most
    // a second.
    mine.changed.wait_until(lock, std::chrono::system_clock::now() + span);
  }
}

void LoopbackTransport::wake() {
  const std::lock_guard lock(network_.mutex);
  network_.sides[rank_].woken = true;
  network_.sides[rank_].changed.notify_all();
}

void LoopbackTransport::mark_failed(Rank rank, std::string reason) {
  const std::lock_guard lock(network_.mutex);
  Side& mine = network_.sides[rank_];
  if (mine.failure) return;
  mine.failure = peer_failed(rank, reason);
  mine.receives.clear();
  for (auto& side : network_.sides)
    for (auto& [key, arrivals] : side.arrivals)
      if (key.first == rank_)
        std::erase_if(arrivals, [](const Message& m) { return m.sender_slot != 0; });
  mine.changed.notify_all();
}

}  // namespace

std::unique_ptr<LoopbackNetwork> LoopbackNetwork::create(LoopbackOptions options,
                                                         const Clock& clock) {
  PENSTOCK_CHECK(options.ranks > 0, "a loopback network needs at least one rank");
  return std::make_unique<Network>(options, clock);
}

}  // namespace penstock::collectives
