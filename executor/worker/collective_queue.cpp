#include "executor/worker/collective_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/worker/rank_message.h"
#include "schema/program/sharding.h"

namespace penstock::executor {
namespace {

using collectives::ElementType;

Result<ElementType> element_type(program::DType dtype) {
  switch (dtype) {
    case program::DType::f32:
      return ElementType::f32;
    case program::DType::f64:
      return ElementType::f64;
    case program::DType::i32:
      return ElementType::i32;
    case program::DType::i64:
      return ElementType::i64;
    default:
      break;
  }
  return Error{ErrorCode::unimplemented,
               "a collective over " + std::string(program::name(dtype)) + " is not there yet"};
}

/// Bytes of one step along dimension 0 of the whole tensor; 0 if the parts of a cut along `dim` do
/// not lie one behind the other.
std::uint64_t row_bytes(const compiler::CollectiveCall& call, std::uint64_t whole_bytes,
                        std::uint32_t ranks) {
  const int dim = call.collective.dim;
  if (call.members.empty()) return whole_bytes % ranks == 0 ? whole_bytes / ranks : 0;
  const auto& shape = call.members.front().type.shape;
  std::uint64_t inner = static_cast<std::uint64_t>(program::size_of(call.dtype));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (static_cast<int>(i) < dim && shape[i].bound != 1) return 0;
    if (static_cast<int>(i) > dim) inner *= static_cast<std::uint64_t>(shape[i].bound);
  }
  return inner;
}

/// Each rank's part of a tensor cut along its first dimension, in bytes.
Result<std::vector<std::uint64_t>> blocks_of(const compiler::CollectiveCall& call,
                                             std::uint64_t whole_bytes, std::uint32_t ranks) {
  const std::uint64_t row = row_bytes(call, whole_bytes, ranks);
  if (whole_bytes > 0 && (row == 0 || whole_bytes % row != 0))
    return Error{ErrorCode::unimplemented,
                 "a collective over dimension " + std::to_string(call.collective.dim) +
                     " whose parts do not lie one behind the other is not there yet"};
  std::vector<std::uint64_t> blocks(ranks, 0);
  if (whole_bytes == 0) return blocks;
  for (std::uint32_t r = 0; r < ranks; ++r)
    blocks[r] =
        row * static_cast<std::uint64_t>(
                  program::part_of(static_cast<std::int64_t>(whole_bytes / row), r, ranks).size());
  return blocks;
}

std::uint64_t before(const std::vector<std::uint64_t>& blocks, std::uint32_t rank) {
  std::uint64_t sum = 0;
  for (std::uint32_t r = 0; r < rank; ++r) sum += blocks[r];
  return sum;
}

void copy(std::span<const std::byte> from, std::span<std::byte> into) {
  if (!from.empty() && from.data() != into.data())
    std::memmove(into.data(), from.data(), from.size());
}

Error wrong_block(const std::string& label, std::uint64_t has, std::uint64_t needs) {
  return {ErrorCode::internal, label + ": this rank holds " + std::to_string(has) +
                                   " bytes where the cut gives it " + std::to_string(needs)};
}

}  // namespace

void CollectiveQueue::start(const compiler::CollectiveCall& call, std::span<std::byte> input,
                            std::span<std::byte> output, std::int32_t event,
                            const std::string& label) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) {
      if (event >= 0) events_[static_cast<std::size_t>(event)] = Status(*failure_);
      return;
    }
    requests_.push_back({&call, input, output, event, label});
    ++outstanding_;
  }
  options_.wake();
}

Status CollectiveQueue::wait(std::int32_t event) {
  std::unique_lock lock(mutex_);
  auto& state = events_[static_cast<std::size_t>(event)];
  // The communicate thread ends every collective by its deadline; the margin is for that thread
  // being late, so that nothing hangs even if it is stuck.
  if (!changed_.wait_for(lock, options_.deadline + 10s, [&] { return state.has_value(); }))
    return Error{ErrorCode::deadline_exceeded, "the communicate thread did not answer in time"};
  return *state;
}

void CollectiveQueue::reset(std::int32_t events) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, options_.deadline + 10s, [&] { return outstanding_ == 0; });
  events_.assign(static_cast<std::size_t>(std::max(events, 0)), std::nullopt);
}

void CollectiveQueue::settle(std::int32_t event, Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (outstanding_ > 0) --outstanding_;
    if (event >= 0 && static_cast<std::size_t>(event) < events_.size())
      events_[static_cast<std::size_t>(event)] = std::move(status);
  }
  changed_.notify_all();
}

void CollectiveQueue::fail(const Error& error) {
  running_.clear();
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
    requests_.clear();
    outstanding_ = 0;
    for (auto& event : events_)
      if (!event) event = Status(*failure_);
  }
  changed_.notify_all();
}

std::string CollectiveQueue::label_of(std::uint32_t tag) const {
  for (const auto& running : running_)
    if (running.tag == tag) return running.request.label;
  return "";
}

Result<std::unique_ptr<collectives::Operation>> CollectiveQueue::start_operation(
    collectives::Communicator& communicator, Running& running) {
  const Request& request = running.request;
  const compiler::CollectiveCall& call = *request.call;
  const Instant deadline = options_.clock->now() + options_.deadline;
  const std::uint32_t rank = communicator.rank();
  switch (call.collective.kind) {
    case compiler::CollectiveKind::all_reduce: {
      PENSTOCK_ASSIGN(const ElementType type, element_type(call.dtype));
      copy(request.input, request.output);
      return communicator.start_all_reduce(
          request.output, {.type = type, .tag = running.tag, .deadline = deadline});
    }
    case compiler::CollectiveKind::all_gather: {
      PENSTOCK_ASSIGN(auto blocks, blocks_of(call, request.output.size(), communicator.size()));
      if (blocks[rank] != request.input.size())
        return wrong_block(request.label, request.input.size(), blocks[rank]);
      copy(request.input, request.output.subspan(before(blocks, rank), blocks[rank]));
      return communicator.start_all_gather(request.output, std::move(blocks),
                                           {.tag = running.tag, .deadline = deadline});
    }
    case compiler::CollectiveKind::reduce_scatter: {
      // Parts of uneven cuts differ from the communicator's own segments, so the whole sum is made
      // and this rank's part copied out.
      PENSTOCK_ASSIGN(const ElementType type, element_type(call.dtype));
      PENSTOCK_ASSIGN(auto blocks, blocks_of(call, request.input.size(), communicator.size()));
      if (blocks[rank] != request.output.size())
        return wrong_block(request.label, request.output.size(), blocks[rank]);
      running.whole = options_.pool->take(request.input.size());
      copy(request.input, running.whole->bytes());
      running.finish = [first = before(blocks, rank)](Running& done) {
        copy(std::as_const(*done.whole).bytes().subspan(first, done.request.output.size()),
             done.request.output);
      };
      return communicator.start_all_reduce(
          running.whole->bytes(), {.type = type, .tag = running.tag, .deadline = deadline});
    }
    case compiler::CollectiveKind::slice:
    case compiler::CollectiveKind::accumulate:
      break;
  }
  return Error{ErrorCode::internal, request.label +
                                        ": a local change of layout reached the "
                                        "communicate stream"};
}

Status CollectiveQueue::launch(collectives::Communicator& communicator, Request request) {
  Running running;
  running.request = std::move(request);
  running.tag = next_tag_;
  next_tag_ = (next_tag_ + 1) % kCollectiveTags;
  auto operation = start_operation(communicator, running);
  if (!operation.ok()) return std::move(operation).error().in(running.request.label);
  running.operation = std::move(operation).value();
  running_.push_back(std::move(running));
  return {};
}

bool CollectiveQueue::poll(collectives::Communicator& communicator) {
  std::deque<Request> requests;
  {
    const std::lock_guard lock(mutex_);
    requests.swap(requests_);
  }
  bool moved = !requests.empty();
  for (auto& request : requests) {
    const std::int32_t event = request.event;
    if (auto status = launch(communicator, std::move(request)); !status.ok())
      settle(event, std::move(status));
  }
  for (std::size_t i = 0; i < running_.size();) {
    Running& running = running_[i];
    if (!running.operation->done()) {
      ++i;
      continue;
    }
    Status status = running.operation->status();
    if (status.ok() && running.finish) running.finish(running);
    if (!status.ok()) status = std::move(status).error().in(running.request.label);
    settle(running.request.event, std::move(status));
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

}  // namespace penstock::executor
