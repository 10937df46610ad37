#include "executor/worker/open_commands.h"

#include <algorithm>
#include <utility>

namespace penstock::executor {

void OpenCommands::open(std::uint64_t sequence, CommandKind kind, Fulfiller fulfiller) {
  const std::lock_guard lock(mutex_);
  Pending pending;
  pending.kind = kind;
  pending.outcome.ranks.resize(ranks_);
  pending.answered.assign(ranks_, false);
  pending.sent.assign(ranks_, false);
  pending.sent[0] = true;
  pending.fulfiller = kj::mv(fulfiller);
  open_.emplace(sequence, std::move(pending));
}

bool OpenCommands::finished(const Pending& pending) const {
  if (!pending.answered[0]) return false;
  if (failure_) return true;
  const auto all = [](const std::vector<bool>& flags) {
    return std::all_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
  };
  return all(pending.answered) && all(pending.sent);
}

void OpenCommands::settle(std::unique_lock<std::mutex>& lock, std::uint64_t sequence) {
  const auto at = open_.find(sequence);
  if (at == open_.end() || !finished(at->second)) return;
  Pending pending = std::move(at->second);
  open_.erase(at);
  CommandOutcome& outcome = pending.outcome;
  outcome.started = outcome.ranks[0].started;
  outcome.finished = clock_.now();
  for (std::uint32_t rank = 0; rank < ranks_ && !outcome.error; ++rank)
    outcome.error = outcome.ranks[rank].completion.error;
  const bool complete = std::all_of(pending.answered.begin(), pending.answered.end(),
                                    [](bool answered) { return answered; });
  if (!outcome.error && !complete) outcome.error = failure_;
  lock.unlock();
  pending.fulfiller->fulfill(kj::mv(outcome));
}

void OpenCommands::own_part(std::uint64_t sequence, RankResult result) {
  std::unique_lock lock(mutex_);
  const auto at = open_.find(sequence);
  PENSTOCK_CHECK(at != open_.end());
  at->second.outcome.ranks[0] = std::move(result);
  at->second.outcome.finished = clock_.now();
  at->second.answered[0] = true;
  settle(lock, sequence);
}

void OpenCommands::sent(std::uint64_t sequence, std::uint32_t rank) {
  std::unique_lock lock(mutex_);
  const auto at = open_.find(sequence);
  if (at == open_.end()) return;
  at->second.sent[rank] = true;
  settle(lock, sequence);
}

std::optional<Error> OpenCommands::answered(std::uint32_t rank, RankResult result) {
  std::unique_lock lock(mutex_);
  const std::uint64_t sequence = result.completion.sequence;
  const auto at = open_.find(sequence);
  if (at == open_.end()) return std::nullopt;
  std::optional<Error> reason;
  if (at->second.kind == CommandKind::run && !at->second.answered[0])
    reason = result.completion.error;
  at->second.outcome.ranks[rank] = std::move(result);
  at->second.answered[rank] = true;
  settle(lock, sequence);
  return reason;
}

void OpenCommands::fail(const Error& error) {
  std::vector<std::uint64_t> sequences;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    for (const auto& [sequence, pending] : open_) sequences.push_back(sequence);
  }
  for (const std::uint64_t sequence : sequences) {
    std::unique_lock lock(mutex_);
    settle(lock, sequence);
  }
}

std::optional<std::uint32_t> OpenCommands::overdue(Nanoseconds patience) const {
  const std::lock_guard lock(mutex_);
  if (failure_) return std::nullopt;
  for (const auto& [sequence, pending] : open_) {
    if (!pending.answered[0] || clock_.now() - pending.outcome.finished < patience) continue;
    for (std::uint32_t rank = 1; rank < ranks_; ++rank)
      if (!pending.answered[rank]) return rank;
  }
  return std::nullopt;
}

}  // namespace penstock::executor
