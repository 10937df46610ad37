#include "penstock/executable.h"

#include "sdk/src/lane.h"

namespace penstock {

using detail::CallKind;
using detail::Lane;
using detail::LaneReply;

namespace {

RunResult to_result(LaneReply reply) {
  return {std::move(reply.outputs), reply.time, reply.usage};
}

}  // namespace

Executable::Executable(std::unique_ptr<Lane> lane) : lane_(std::move(lane)) {}
Executable::Executable(Executable&&) noexcept = default;
Executable& Executable::operator=(Executable&&) noexcept = default;
Executable::~Executable() = default;

Future<RunResult> Executable::run(const Tensors& inputs) {
  return run("main", inputs);
}

Future<RunResult> Executable::run(std::string_view entry, const Tensors& inputs) {
  auto promise = std::make_shared<Promise<RunResult>>("run of entry " + std::string(entry));
  lane_->call_entry(CallKind::run, entry, inputs, [promise](Result<LaneReply> reply) {
    if (!reply.ok()) return promise->fill(std::move(reply).error());
    promise->fill(to_result(std::move(reply).value()));
  });
  return promise->future();
}

Future<RunResult> Executable::repeat(std::string_view entry, const Tensors& inputs,
                                     const RepeatOptions& options) {
  auto promise = std::make_shared<Promise<RunResult>>("repeat of entry " + std::string(entry));
  detail::Repeat repeat{options.most, options.until, [on_run = options.on_run](LaneReply reply) {
                          return !on_run || on_run(to_result(std::move(reply)));
                        }};
  const auto done = [promise](Result<LaneReply> reply) {
    if (!reply.ok()) return promise->fill(std::move(reply).error());
    promise->fill(to_result(std::move(reply).value()));
  };
  lane_->call_entry(CallKind::repeat, entry, inputs, done, std::move(repeat));
  return promise->future();
}

Tensor Executable::read(std::string_view variable) {
  return lane_->read(variable);
}
void Executable::write(std::string_view variable, const Tensor& value) {
  lane_->write(variable, value);
}
std::vector<VariableInfo> Executable::variables() {
  return lane_->variables();
}
void Executable::cancel() {
  lane_->cancel();
}
void Executable::finish() {
  lane_->finish();
}
Metrics Executable::progress() const {
  return lane_->progress();
}
Metrics Executable::metrics() {
  lane_->finish();
  return lane_->progress();
}

}  // namespace penstock
