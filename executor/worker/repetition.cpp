#include "executor/worker/repetition.h"

#include <deque>
#include <utility>

namespace penstock::executor {
namespace {

/// Enough that the ranks find the next run waiting when they have finished one.
constexpr std::size_t kRunsAhead = 2;

bool is_skipped(const CommandOutcome& outcome) {
  return !outcome.error && outcome.ranks[0].completion.skipped;
}

}  // namespace

net::Task<std::vector<ReplyPtr>> repeat(RepetitionParts parts) {
  std::vector<ReplyPtr> runs;
  std::deque<kj::Promise<CommandOutcome>> ahead;
  std::optional<Error> failed;
  std::uint64_t started = 0;
  bool over = false;
  while (true) {
    while (!over && started < parts.most && ahead.size() < kRunsAhead) {
      ahead.push_back(parts.ranks->run(parts.command, parts.inputs));
      ++started;
    }
    if (ahead.empty()) break;
    kj::Promise<CommandOutcome> next = kj::mv(ahead.front());
    ahead.pop_front();
    CommandOutcome outcome = co_await next;
    if (failed || is_skipped(outcome)) {
      over = true;
      continue;
    }
    Result<ReplyPtr> reply = parts.finish(std::move(outcome));
    if (!reply.ok()) {
      failed = reply.error();
      over = true;
      continue;
    }
    runs.push_back(*reply);
    auto delivered = net::settle(parts.deliver(*reply));
    const Result<void> heard = co_await delivered;
    if (!heard.ok()) over = true;
  }
  if (failed) net::throw_error(*failed);
  co_return std::move(runs);
}

ReplyPtr sum_of(const std::vector<ReplyPtr>& runs, std::uint64_t number, std::uint64_t bytes_max) {
  auto sum = std::make_shared<Reply>();
  sum->number = number;
  std::uint64_t bytes = 0;
  for (const ReplyPtr& run : runs) {
    bytes += run->output_bytes();
    sum->time.add(run->time);
    sum->usage.add(run->usage);
    sum->step = run->step;
  }
  sum->run_count = runs.size();
  sum->time.queue = runs.front()->time.queue;  // the others wait by intent
  if (bytes <= bytes_max)
    sum->runs = runs;
  else
    sum->runs = {runs.back()};
  return sum;
}

}  // namespace penstock::executor
