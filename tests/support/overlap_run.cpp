#include "tests/support/overlap_run.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/check.h"
#include "base/clock.h"
#include "executor/collectives/loopback_transport.h"
#include "executor/compiler/pipeline.h"
#include "executor/runtime/null/null_backend.h"
#include "executor/runtime/runner.h"
#include "executor/worker/communicate_thread.h"
#include "schema/program/builder.h"
#include "schema/program/text.h"

namespace penstock::testing {
namespace {

using program::ValueId;

ValueId apply(program::Builder& b, std::string_view op, std::vector<ValueId> inputs,
              program::Attributes attributes = {}) {
  return b.try_apply(op, inputs, std::move(attributes)).value().front();
}

std::string deep_net(const OverlapOptions& options) {
  program::Program net;
  net.entries.emplace_back().name = "main";
  const program::Dim rows = program::batch(options.rows);
  for (int i = 0; i < options.layers; ++i) {
    program::Variable weight;
    weight.name = "w" + std::to_string(i);
    weight.type = {program::DType::f32, {options.width, options.width}};
    weight.trainable = true;
    program::add_variable(net, std::move(weight)).value();
  }
  program::Builder b(net, 0);
  ValueId x = b.try_input("x", {program::DType::f32, {rows, options.width}}).value();
  const ValueId y = b.try_input("y", {program::DType::i32, {rows}}).value();
  for (int i = 0; i < options.layers; ++i) {
    const ValueId w = b.try_read("w" + std::to_string(i)).value();
    x = apply(b, "matmul", {x, w}, {{"transpose_lhs", false}, {"transpose_rhs", false}});
    x = apply(b, "relu", {x});
  }
  const ValueId losses = apply(b, "cross_entropy", {x, y});
  const ValueId loss =
      apply(b, "mean", {losses}, {{"dims", std::vector<std::int64_t>{0}}, {"of", std::int64_t{0}}});
  b.try_output("loss", loss).value();
  net.training = program::Training{.entry = "main",
                                   .loss = "loss",
                                   .optimizer = "sgd",
                                   .options = {{"momentum", 0.0}, {"weight_decay", 0.0}},
                                   .learning_rate = 0.01};
  return program::print(net);
}

struct Arrival {
  Instant at;
  std::uint64_t bytes = 0;
};

// Passes everything on, and notes what has been received and when.
class WatchedTransport final : public collectives::Transport {
 public:
  WatchedTransport(collectives::Transport& inner, const Clock& clock)
      : inner_(inner), clock_(clock) {}

  collectives::Rank rank() const override { return inner_.rank(); }
  collectives::Rank size() const override { return inner_.size(); }
  Result<collectives::Posting> post_send(collectives::Envelope to,
                                         std::span<const std::byte> bytes) override {
    return inner_.post_send(to, bytes);
  }
  Result<collectives::Posting> post_receive(collectives::Envelope from,
                                            std::span<std::byte> into) override {
    auto posting = inner_.post_receive(from, into);
    if (posting.ok()) posted_[posting->value] = into.size();
    return posting;
  }
  Result<bool> test(collectives::Posting posting) override {
    auto ended = inner_.test(posting);
    const auto at = posted_.find(posting.value);
    if (at != posted_.end() && ended.ok() && *ended) {
      const std::lock_guard lock(mutex_);
      arrivals_.push_back({clock_.now(), at->second});
      posted_.erase(at);
    }
    return ended;
  }
  void abandon(collectives::Posting posting) override {
    posted_.erase(posting.value);
    inner_.abandon(posting);
  }
  void idle(Instant deadline) override { inner_.idle(deadline); }
  void wake() override { inner_.wake(); }
  void mark_failed(collectives::Rank rank, std::string reason) override {
    inner_.mark_failed(rank, std::move(reason));
  }
  const std::optional<Error>& failure() const override { return inner_.failure(); }

  std::uint64_t received(Instant from, Instant to) const {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const Arrival& arrival : arrivals_)
      if (arrival.at >= from && arrival.at <= to) sum += arrival.bytes;
    return sum;
  }

 private:
  collectives::Transport& inner_;
  const Clock& clock_;
  std::map<std::uint64_t, std::uint64_t> posted_;
  mutable std::mutex mutex_;
  std::vector<Arrival> arrivals_;
};

struct StepTimes {
  Instant begin, end;
  Instant last_backward;  // begin of the last matmul
};

std::vector<StepTimes> train(runtime::Runner& runner, const Clock& clock,
                             const OverlapOptions& options) {
  std::vector<StepTimes> steps;
  for (int i = 0; i < options.steps; ++i) {
    StepTimes times;
    times.begin = clock.now();
    const auto observe = [&times](const runtime::Stamp& stamp) {
      if (stamp.instruction->stream == compiler::Stream::compute &&
          stamp.instruction->label.find("matmul") != std::string::npos)
        times.last_backward = stamp.begin;
    };
    runner.run("step", {.batch_size = options.rows, .observe = observe}).value();
    times.end = clock.now();
    steps.push_back(times);
  }
  return steps;
}

std::vector<std::uint64_t> bucket_bytes(const compiler::Executable& executable) {
  std::vector<std::uint64_t> out;
  for (const compiler::Segment& segment : executable.find_entry("step")->segments)
    for (const compiler::Instruction& instruction : segment.instructions)
      if (const auto* call = std::get_if<compiler::CollectiveCall>(&instruction.call))
        out.push_back(static_cast<std::uint64_t>(call->elements * program::size_of(call->dtype)));
  return out;
}

}  // namespace

OverlapResult run_overlap(const OverlapOptions& options) {
  constexpr std::uint32_t kRanks = 2;
  const MonotonicClock clock;
  const std::string text = deep_net(options);
  const auto net = program::parse(text).value();
  program::Plan plan = compiler::batch_plan(net, kRanks, 1);
  plan.bucket_bytes = options.width * options.width * 4;  // one layer each
  auto network = collectives::LoopbackNetwork::create(
      {.ranks = kRanks, .bytes_per_second = options.bytes_per_second}, clock);

  std::vector<std::unique_ptr<WatchedTransport>> transports;
  std::vector<std::unique_ptr<executor::CommunicateThread>> communicators;
  std::vector<std::unique_ptr<runtime::NullBackend>> backends;
  std::vector<std::unique_ptr<runtime::Runner>> runners;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    transports.push_back(std::make_unique<WatchedTransport>(network->at(rank), clock));
    executor::CommunicateThread::Options options_of_thread;
    options_of_thread.clock = &clock;
    options_of_thread.pool = executor::BufferPool::create(64 * kMiB);
    communicators.push_back(
        std::make_unique<executor::CommunicateThread>(std::move(options_of_thread)));
    communicators.back()->adopt(*transports.back(), {});
    runtime::NullBackend::Options device;
    device.flop_per_second = options.flop_per_second;
    device.pace = runtime::NullBackend::Pace::modelled;
    backends.push_back(std::make_unique<runtime::NullBackend>(device));
    auto executable = compiler::compile(text, plan, *backends.back(), {}).value();
    runners.push_back(runtime::Runner::create({.executable = std::move(executable),
                                               .rank = rank,
                                               .backend = backends.back().get(),
                                               .collectives = &communicators.back()->collectives(),
                                               .clock = &clock})
                          .value());
  }

  std::vector<StepTimes> leader;
  std::thread follower([&]() { train(*runners[1], clock, options); });
  leader = train(*runners[0], clock, options);
  follower.join();

  OverlapResult result;
  std::vector<Nanoseconds> spent;
  for (const StepTimes& step : leader) spent.push_back(step.end - step.begin);
  std::sort(spent.begin(), spent.end());
  result.step = spent[spent.size() / 2];
  result.compute = backends[0]->counts().modelled / options.steps;
  const auto buckets = bucket_bytes(runners[0]->executable());
  PENSTOCK_CHECK(!buckets.empty());
  result.first_bucket_bytes = buckets.front();
  std::uint64_t sent = 0;  // a ring of two sends half of each bucket twice
  for (const std::uint64_t bytes : buckets) sent += bytes * 2 * (kRanks - 1) / kRanks;
  if (options.bytes_per_second > 0)
    result.communication = Nanoseconds(
        static_cast<std::int64_t>(static_cast<double>(sent) / options.bytes_per_second * 1e9));
  const StepTimes& last = leader.back();
  result.received_before_last_backward = transports[1]->received(last.begin, last.last_backward);
  result.received_in_step = transports[1]->received(last.begin, last.end);
  return result;
}

}  // namespace penstock::testing
