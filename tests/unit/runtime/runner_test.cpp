#include "executor/runtime/runner.h"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/null/null_backend.h"

using namespace penstock;
using namespace penstock::runtime;
using compiler::CollectiveKind;
using compiler::Instruction;
using compiler::Operand;
using compiler::Segment;
using program::DType;
using program::Kernel;
using program::Spread;

namespace {

/// Sums blocks of f32 between the threads of one process.
class Exchange {
 public:
  explicit Exchange(int ranks) : ranks_(ranks) {}

  void give(std::int32_t event, std::span<const std::byte> block) {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[event];
    slot.sum.resize(block.size() / sizeof(float));
    for (std::size_t i = 0; i < slot.sum.size(); ++i) {
      float value;
      std::memcpy(&value, block.data() + i * sizeof(float), sizeof(float));
      slot.sum[i] += value;
    }
    ++slot.given;
    changed_.notify_all();
  }
  Status take(std::int32_t event, std::span<std::byte> block) {
    std::unique_lock lock(mutex_);
    const bool there = changed_.wait_for(lock, std::chrono::seconds(20),
                                         [&] { return slots_[event].given == ranks_; });
    if (!there) return Error{ErrorCode::deadline_exceeded, "rank 0 did not answer"};
    std::memcpy(block.data(), slots_[event].sum.data(), block.size());
    return {};
  }

 private:
  struct Slot {
    int given = 0;
    std::vector<float> sum;
  };
  int ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int32_t, Slot> slots_;
};

class ExchangeStream final : public CollectiveStream {
 public:
  explicit ExchangeStream(Exchange& exchange) : exchange_(exchange) {}
  void start(const compiler::CollectiveCall&, std::span<std::byte> input,
             std::span<std::byte> output, std::int32_t event, const std::string&) override {
    outputs_[event] = output;
    exchange_.give(calls_ * 1000 + event, input);
  }
  Status wait(std::int32_t event) override {
    return exchange_.take(calls_ * 1000 + event, outputs_.at(event));
  }
  void reset(std::int32_t events) override {
    ++calls_;
    outputs_.clear();
    last_reset = events;
  }
  std::int32_t last_reset = 0;

 private:
  Exchange& exchange_;
  std::int32_t calls_ = 0;
  std::map<std::int32_t, std::span<std::byte>> outputs_;
};

class LostPeerStream final : public CollectiveStream {
 public:
  void start(const compiler::CollectiveCall&, std::span<std::byte>, std::span<std::byte>,
             std::int32_t, const std::string&) override {}
  Status wait(std::int32_t) override { return Error{ErrorCode::unavailable, "rank 0 is gone"}; }
  void reset(std::int32_t) override {}
};

const program::AxisSharding kSplit0 = {Spread::split, 0};

Operand operand(std::int64_t offset, program::Shape shape, program::Sharding sharding) {
  Operand out;
  out.offset = offset;
  out.type = {DType::f32, std::move(shape)};
  out.sharding = std::move(sharding);
  return out;
}

Instruction kernel(std::string label, Kernel kind, program::Attributes attributes,
                   std::vector<Operand> inputs, Operand output) {
  Instruction out;
  out.call = compiler::KernelCall{kind, std::move(attributes)};
  out.inputs = std::move(inputs);
  out.outputs = {std::move(output)};
  out.label = std::move(label);
  return out;
}

/// `w += sum over all rows of x`, with the rows over two devices and two micro-batches:
///   before:      n = batch size
///   each micro:  g = sum(x); acc += g
///   last micro:  the same, then acc summed over the devices; w = w + acc
compiler::Executable summing_executable() {
  const program::Sharding whole(2), rows = {kSplit0, kSplit0};
  Operand w = operand(0, {4}, whole), x = operand(64, {program::batch(2), 4}, rows),
          g = operand(192, {4}, whole), acc = operand(256, {4}, whole), n = operand(320, {}, whole);
  x.per_micro = true;

  const std::vector<std::int64_t> dims = {0};
  const Instruction sum = kernel("reduce_sum %1", Kernel::reduce_sum, {{"dims", dims}}, {x}, g);
  Instruction accumulate;
  accumulate.call = compiler::AccumulateCall{};
  accumulate.inputs = {g};
  accumulate.outputs = {acc};
  accumulate.label = "accumulate %1";
  Instruction reduce;
  reduce.stream = compiler::Stream::communicate;
  compiler::CollectiveCall call;
  call.collective.kind = CollectiveKind::all_reduce;
  call.elements = 4;
  call.members = {acc};
  reduce.call = call;
  reduce.inputs = {acc};
  reduce.outputs = {acc};
  reduce.signals = 0;
  reduce.label = "all_reduce grads";
  Instruction add = kernel("add %3", Kernel::map_add, {}, {w, acc}, w);
  add.waits = {0};

  compiler::ExecutableEntry entry;
  entry.name = "step";
  entry.events = 1;
  entry.inputs = {{"x", {DType::f32, {program::batch(6), 4}}, x}};
  entry.outputs = {{"n", {DType::f32, {}}, n}};
  entry.segments = {
      {Segment::When::before, {kernel("batch_size", Kernel::fill_batch_size, {}, {}, n)}},
      {Segment::When::each_micro, {sum, accumulate}},
      {Segment::When::last_micro, {sum, accumulate, reduce, add}}};

  compiler::Executable executable;
  executable.plan.mesh = {{{"data", 2, false}, {"micro", 2, true}}};
  program::Variable variable;
  variable.name = "w";
  variable.type = w.type;
  variable.initializer = {program::Initializer::Kind::constant, 1, 0};
  executable.variables = {{variable, w}};
  executable.entries = {entry};
  executable.arena_bytes = 384;
  return executable;
}

struct RankResult {
  Status status;
  program::Range rows;
  std::vector<float> w;
  float n = 0;
};

std::vector<float> floats(std::span<std::byte> bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

/// Runs the calls one after the other on one rank; row i of a batch holds 10 i + column.
RankResult run_rank(std::int64_t rank, Exchange& exchange, const std::vector<std::int64_t>& calls) {
  CpuBackend backend({.threads = 1, .memory_bytes = 1 << 20});
  ExchangeStream stream(exchange);
  MonotonicClock clock;
  auto runner = Runner::create({summing_executable(), rank, &backend, &stream, &clock});
  if (!runner.ok()) return {runner.error(), {}, {}, 0};
  const auto& entry = (*runner)->executable().entries[0];
  RankResult result;
  for (std::int64_t batch : calls) {
    result.rows = (*runner)->rows(entry.inputs[0], batch);
    std::vector<float> values;
    for (std::int64_t row = result.rows.begin; row < result.rows.end; ++row) {
      for (int column = 0; column < 4; ++column)
        values.push_back(static_cast<float>(10 * row + column));
    }
    const auto bytes = (*runner)->port_bytes(entry.inputs[0], batch);
    CHECK(bytes.size() == values.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    const auto times = (*runner)->run("step", {.batch_size = batch});
    if (!times.ok()) return {times.error(), {}, {}, 0};
    result.n = floats((*runner)->port_bytes(entry.outputs[0], batch))[0];
  }
  CHECK(stream.last_reset == 2);  // one event in each of two micro-batches
  result.w = floats(*(*runner)->variable("w"));
  return result;
}

std::array<RankResult, 2> run_both(const std::vector<std::int64_t>& calls) {
  Exchange exchange(2);
  std::array<RankResult, 2> results;
  std::thread other([&] { results[1] = run_rank(1, exchange, calls); });
  results[0] = run_rank(0, exchange, calls);
  other.join();
  return results;
}

}  // namespace

// Rows 0..4: the sum of 10 i is 100, and each column adds 5 times its number. w starts at 1.
TEST_CASE("two ranks with two micro-batches each sum an odd batch exactly once") {
  const auto results = run_both({5});
  CHECK(results[0].rows == program::Range{0, 2});
  CHECK(results[1].rows == program::Range{2, 5});
  for (const RankResult& result : results) {
    REQUIRE(result.status.ok());
    CHECK(result.w == std::vector<float>{101, 106, 111, 116});
    CHECK(result.n == 5);
  }
}

TEST_CASE("a batch of one row leaves three of four micro-batches empty and is still exact") {
  for (const RankResult& result : run_both({1})) {
    REQUIRE(result.status.ok());
    CHECK(result.w == std::vector<float>{1, 2, 3, 4});
  }
}

// 6 rows: 150 + 6 c; then 2 rows: 10 + 2 c; w = 1 + 160 + 8 c.
TEST_CASE("a short batch after a full one does not see the full one's rows") {
  for (const RankResult& result : run_both({6, 2})) {
    REQUIRE(result.status.ok());
    CHECK(result.w == std::vector<float>{161, 169, 177, 185});
    CHECK(result.n == 2);
  }
}

TEST_CASE("an empty batch adds nothing") {
  for (const RankResult& result : run_both({0})) {
    REQUIRE(result.status.ok());
    CHECK(result.w == std::vector<float>{1, 1, 1, 1});
  }
}

TEST_CASE("a lost peer is an error that names rank, entry and instruction, and sticks") {
  NullBackend backend({});
  LostPeerStream stream;
  MonotonicClock clock;
  auto runner = Runner::create({summing_executable(), 1, &backend, &stream, &clock});
  REQUIRE(runner.ok());
  const auto times = (*runner)->run("step", {.batch_size = 4});
  REQUIRE_FALSE(times.ok());
  CHECK(times.error().code == ErrorCode::unavailable);
  CHECK(times.error().message ==
        "rank 1, step, add %3: waiting for 'all_reduce grads': rank 0 is gone");
  const auto again = (*runner)->run("step", {.batch_size = 4});
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == ErrorCode::failed_precondition);
}

TEST_CASE("stamps cover every instruction in the order in which it ran") {
  NullBackend backend({});
  Exchange exchange(1);
  ExchangeStream stream(exchange);
  MonotonicClock clock;
  auto runner = Runner::create({summing_executable(), 0, &backend, &stream, &clock});
  REQUIRE(runner.ok());
  std::vector<std::string> labels;
  RunOptions options;
  options.batch_size = 6;
  options.observe = [&](const Stamp& stamp) {
    CHECK(stamp.begin <= stamp.end);
    labels.push_back(stamp.instruction->label + "/" + std::to_string(stamp.micro));
  };
  REQUIRE((*runner)->run("step", options).ok());
  CHECK(labels == std::vector<std::string>{"batch_size/0", "reduce_sum %1/0", "accumulate %1/0",
                                           "reduce_sum %1/1", "accumulate %1/1",
                                           "all_reduce grads/1", "add %3/1"});
}

TEST_CASE("what cannot run is refused when the runner is made") {
  NullBackend backend({});
  MonotonicClock clock;
  const auto message = [&](const compiler::Executable& executable) {
    const auto runner = Runner::create({executable, 0, &backend, nullptr, &clock});
    REQUIRE_FALSE(runner.ok());
    return runner.error().message;
  };
  CHECK(message(summing_executable()) ==
        "entry 'step', all_reduce grads: a collective, but this device has no collective stream");
  compiler::Executable outside = summing_executable();
  outside.variables[0].operand.offset = 384;
  CHECK(message(outside).rfind("variable 'w': a block lies at bytes 384 to 400", 0) == 0);
  compiler::Executable crooked = summing_executable();
  crooked.variables[0].operand.offset = 8;
  CHECK(message(crooked).rfind("variable 'w': a block lies at bytes 8 to 24", 0) == 0);
}

TEST_CASE("unknown entries and variables and batches that are too large are refused") {
  NullBackend backend({});
  Exchange exchange(1);
  ExchangeStream stream(exchange);
  MonotonicClock clock;
  auto runner = Runner::create({summing_executable(), 0, &backend, &stream, &clock});
  REQUIRE(runner.ok());
  CHECK((*runner)->run("stop", {}).error().message == "no entry 'stop'; nearest: 'step'");
  CHECK((*runner)->variable("v").error().message == "no variable 'v'; nearest: 'w'");
  CHECK((*runner)->run("step", {.batch_size = 7}).error().message ==
        "step: a call of 7 rows, but 'x' is made for at most 6; send smaller batches");
}
