#include "executor/worker/lease_ranks.h"

#include <utility>

#include "base/net/coroutine.h"
#include "executor/worker/command.h"

namespace penstock::executor {
namespace {

/// How often the leader looks whether a follower owes an answer.
constexpr Nanoseconds kWatchPeriod = 1s;

OutgoingMessage message_of(const Command& command,
                           const std::vector<std::span<const std::byte>>& blobs) {
  std::vector<std::uint64_t> sizes;
  for (const auto& blob : blobs) sizes.push_back(blob.size());
  OutgoingMessage message;
  message.body = encode(command, sizes);
  message.blobs = blobs;
  return message;
}

}  // namespace

LeaseRanks::LeaseRanks(Options options, kj::Timer& timer)
    : options_(options),
      timer_(timer),
      open_(std::make_shared<OpenCommands>(options.ranks, *options.clock)),
      tasks_(*this) {
  if (options_.ranks > 1) tasks_.add(watch());
}

kj::Promise<CommandOutcome> LeaseRanks::run(Command command, RankInputs inputs) {
  auto pair = kj::newPromiseAndFulfiller<CommandOutcome>();
  command.sequence = next_sequence_++;
  inputs.resize(options_.ranks);
  queue_.push_back({std::move(command), std::move(inputs), kj::mv(pair.fulfiller)});
  pump();
  return kj::mv(pair.promise);
}

void LeaseRanks::pump() {
  while (!queue_.empty() && in_flight_ < options_.limits.commands_in_flight) {
    Queued next = std::move(queue_.front());
    queue_.pop_front();
    ++in_flight_;
    dispatch(std::move(next));
  }
}

void LeaseRanks::dispatch(Queued queued) {
  const std::uint64_t sequence = queued.command.sequence;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<CommandOutcome>();
  open_->open(sequence, queued.command.kind, kj::mv(pair.fulfiller));
  tasks_.add(pair.promise.then(
      [this, fulfiller = kj::mv(queued.fulfiller)](CommandOutcome&& outcome) mutable {
        --in_flight_;
        fulfiller->fulfill(kj::mv(outcome));
        pump();
      }));
  for (std::uint32_t rank = 1; rank < options_.ranks; ++rank) {
    OutgoingMessage message = message_of(queued.command, queued.inputs[rank]);
    message.sent = [open = open_, sequence, rank] { open->sent(sequence, rank); };
    options_.communicate->send(rank, std::move(message));
  }
  auto own = std::make_shared<std::pair<Command, std::vector<std::span<const std::byte>>>>(
      std::move(queued.command), std::move(queued.inputs[0]));
  const bool posted = options_.compute->post([open = open_, own, programs = options_.programs] {
    open->own_part(own->first.sequence, programs->execute(own->first, own->second));
  });
  PENSTOCK_CHECK(posted, "the window bounds the commands");
}

CommunicateThread::Handlers LeaseRanks::handlers() {
  CommunicateThread::Handlers handlers;
  handlers.received = [open = open_, communicate = options_.communicate](std::uint32_t from,
                                                                         IncomingMessage message) {
    auto decoded = decode_completion(message.body);
    if (!decoded.ok()) return;  // the receiver has read the same body already
    RankResult result;
    result.completion = std::move(decoded->body);
    result.outputs = std::move(message.blobs);
    if (const auto reason = open->answered(from, std::move(result)))
      communicate->mark_failed(from, reason->message);
  };
  handlers.failed = [open = open_](const Error& error) { open->fail(error); };
  return handlers;
}

kj::Promise<void> LeaseRanks::watch() {
  return timer_.afterDelay(net::to_duration(kWatchPeriod)).then([this]() {
    const Nanoseconds patience = options_.limits.collective_deadline;
    if (const auto rank = open_->overdue(patience))
      options_.communicate->mark_failed(
          *rank, "no answer within " + format_duration(patience) + " after rank 0 had finished");
    return watch();
  });
}

void LeaseRanks::taskFailed(kj::Exception&& exception) {
  PENSTOCK_CHECK(
      false, "the leader's tasks do not throw: " + std::string(exception.getDescription().cStr()));
}

}  // namespace penstock::executor
