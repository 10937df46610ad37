#include "sdk/src/lane.h"

#include "sdk/src/call_inputs.h"
#include "sdk/src/lane_wire.h"
#include "sdk/src/lease_core.h"

namespace penstock::detail {

std::string_view name(CallKind kind) {
  switch (kind) {
    case CallKind::run:
      return "run";
    case CallKind::repeat:
      return "repeat";
    case CallKind::step:
      return "step";
    case CallKind::forward_backward:
      return "forward_backward";
    case CallKind::optimizer_step:
      return "optimizer_step";
    case CallKind::evaluate:
      return "evaluate";
    case CallKind::read_variable:
      return "read";
    case CallKind::write_variable:
      return "write";
  }
  return "call";
}

std::int64_t LaneCall::bytes() const {
  std::int64_t sum = 0;
  for (const auto& [input, tensor] : inputs)
    sum += static_cast<std::int64_t>(tensor.bytes().size());
  return sum;
}

std::string LaneCall::text() const {
  const std::string verb(detail::name(kind));
  if (kind == CallKind::run || kind == CallKind::repeat) return verb + " of entry " + name;
  if (kind == CallKind::read_variable || kind == CallKind::write_variable)
    return verb + " of variable " + name;
  return verb;
}

Lane::Lane(std::shared_ptr<LeaseCore> lease, std::unique_ptr<LaneWire> wire,
           program::Program program, Nanoseconds round_trip)
    : lease_(std::move(lease)), wire_(std::move(wire)), program_(std::move(program)) {
  window_.measured(round_trip, std::nullopt);
}

Lane::~Lane() {
  lease_->close_lane(wire_);
}

void Lane::submit(LaneCall call, Done done) {
  const std::int64_t bytes = call.bytes();
  const std::string text = call.text();
  std::lock_guard order(order_);
  const std::uint64_t number = value_or_throw(window_.enter(bytes, kDefaultCallDeadline, text));
  // `this` and wire_ outlive what is posted: the destructor's own post comes after it.
  lease_->thread().post(
      [this, number, bytes, call = std::move(call), done = std::move(done)]() mutable {
        LaneCall about{call.kind, call.name, {}, call.rows, {}};
        wire_->submit(number, std::move(call),
                      [this, bytes, about, number, done = std::move(done)](Result<LaneReply> reply,
                                                                           Nanoseconds elapsed) {
                        if (!reply.ok())
                          reply = std::move(reply).error().in(about.text() + " (call " +
                                                              std::to_string(number) + ")");
                        answered(about, reply, elapsed);
                        if (!reply.ok()) window_.fail(reply.error());
                        done(std::move(reply));
                        window_.leave(bytes);
                      });
      });
}

void Lane::answered(const LaneCall& call, const Result<LaneReply>& reply, Nanoseconds elapsed) {
  if (!reply.ok() || reply->time.total.count() <= 0) return;
  window_.measured(elapsed - reply->time.queue - reply->time.total, reply->time.total);
  MetricsMeter::Sample sample;
  sample.time = reply->time;
  sample.usage = reply->usage;
  sample.step = reply->step;
  if (call.kind == CallKind::step || call.kind == CallKind::forward_backward) {
    sample.trained_rows = call.rows > 0 ? call.rows : 1;
    for (const auto& [name, value] : reply->outputs)
      if (value.size() == 1) sample.scalars[name] = value.item();
  }
  meter_.add(sample, MonotonicClock().now());
}

void Lane::call_entry(CallKind kind, std::string_view entry, const Tensors& inputs, Done done,
                      Repeat repeat) {
  const std::int64_t rows = value_or_throw(check_inputs(program_, entry, inputs));
  submit({kind, std::string(entry), inputs, rows, std::move(repeat)}, std::move(done));
}

Tensor Lane::read(std::string_view variable) {
  LaneCall call{CallKind::read_variable, std::string(variable), {}, 0, {}};
  auto promise = std::make_shared<Promise<Tensor>>(call.text());
  submit(std::move(call), [promise](Result<LaneReply> reply) {
    if (!reply.ok()) return promise->fill(std::move(reply).error());
    promise->fill(std::move(reply->outputs.begin()->second));
  });
  return promise->future().get();
}

void Lane::write(std::string_view variable, const Tensor& value) {
  value_or_throw(check_variable(program_, variable, value));
  LaneCall call{CallKind::write_variable, std::string(variable), {}, 0, {}};
  call.inputs.emplace(std::string(variable), value);
  auto promise = std::make_shared<Promise<void>>(call.text());
  submit(std::move(call), [promise](Result<LaneReply> reply) {
    promise->fill(reply.ok() ? Result<void>() : Result<void>(std::move(reply).error()));
  });
  promise->future().get();
}

std::vector<VariableInfo> Lane::variables() {
  return value_or_throw(lease_->thread().call("list of variables", kDefaultCallDeadline,
                                              [this]() { return wire_->variables(); }));
}

void Lane::finish() {
  value_or_throw(window_.drain(kDefaultCallDeadline, "finish"));
}

void Lane::cancel() {
  const Error error{ErrorCode::cancelled, "the trainer or executable was cancelled"};
  window_.fail(error);  // first: whoever waits for room must not begin another call
  lease_->thread().post([this, error]() { wire_->fail(error); });
}

Metrics Lane::progress() const {
  Metrics metrics = meter_.read();
  metrics.round_trip = window_.times().round_trip;
  metrics.window = window_.window();
  return metrics;
}

}  // namespace penstock::detail
