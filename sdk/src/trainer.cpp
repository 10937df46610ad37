#include "penstock/trainer.h"

#include "sdk/src/lane.h"

namespace penstock {
namespace {

using detail::CallKind;
using detail::Lane;
using detail::LaneReply;

StepResult to_step(LaneReply reply, std::int64_t rows) {
  StepResult result;
  result.step = reply.step;
  result.rows = rows;
  result.time = reply.time;
  result.usage = reply.usage;
  for (const auto& [name, value] : reply.outputs) {
    if (value.size() != 1) continue;
    if (name == "loss")
      result.loss = value.item();
    else
      result.metrics[name] = value.item();
  }
  return result;
}

std::int64_t rows_of(const Lane& lane, const Tensors& batch);

Future<StepResult> call(Lane& lane, CallKind kind, const Tensors& batch) {
  auto promise = std::make_shared<Promise<StepResult>>(std::string(detail::name(kind)));
  const std::int64_t rows = rows_of(lane, batch);
  lane.call_entry(kind, lane.program().training->entry, batch,
                  [promise, rows](Result<LaneReply> reply) {
                    if (!reply.ok()) return promise->fill(std::move(reply).error());
                    promise->fill(to_step(std::move(reply).value(), rows));
                  });
  return promise->future();
}

/// Rows of the first tensor; the lane has the exact check.
std::int64_t rows_of(const Lane& lane, const Tensors& batch) {
  const program::Entry* entry = lane.program().find_entry(lane.program().training->entry);
  for (const program::ValueInfo& value : entry->values) {
    const int dim = program::dynamic_dim(value.type.shape);
    const auto given = batch.find(value.name);
    if (value.source != program::Source::input || dim < 0 || given == batch.end()) continue;
    const Extents& shape = given->second.shape();
    if (static_cast<std::size_t>(dim) < shape.size()) return shape[static_cast<std::size_t>(dim)];
  }
  return 1;
}

}  // namespace

Trainer::Trainer(std::unique_ptr<Lane> lane) : lane_(std::move(lane)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Future<StepResult> Trainer::step(const Tensors& batch) {
  return call(*lane_, CallKind::step, batch);
}
Future<StepResult> Trainer::forward_backward(const Tensors& batch) {
  return call(*lane_, CallKind::forward_backward, batch);
}
Future<StepResult> Trainer::evaluate(const Tensors& batch) {
  return call(*lane_, CallKind::evaluate, batch);
}

Future<StepResult> Trainer::optimizer_step() {
  auto promise = std::make_shared<Promise<StepResult>>("optimizer_step");
  lane_->submit(
      {.kind = CallKind::optimizer_step, .name = {}, .inputs = {}, .rows = 0, .repeat = {}},
      [promise](Result<LaneReply> reply) {
        if (!reply.ok()) return promise->fill(std::move(reply).error());
        promise->fill(to_step(std::move(reply).value(), 0));
      });
  return promise->future();
}

Evaluation Trainer::mean_of(const std::vector<Future<StepResult>>& results) {
  Evaluation mean;
  for (const auto& future : results) {
    const StepResult result = future.get();
    const auto rows = static_cast<double>(result.rows);
    mean.rows += result.rows;
    mean.loss += result.loss * rows;
    for (const auto& [name, value] : result.metrics) mean.metrics[name] += value * rows;
  }
  if (mean.rows == 0) return mean;
  mean.loss /= static_cast<double>(mean.rows);
  for (auto& [name, value] : mean.metrics) value /= static_cast<double>(mean.rows);
  return mean;
}

Tensor Trainer::read(std::string_view variable) {
  return lane_->read(variable);
}
void Trainer::write(std::string_view variable, const Tensor& value) {
  lane_->write(variable, value);
}
std::vector<VariableInfo> Trainer::variables() {
  return lane_->variables();
}

void Trainer::set_learning_rate(double learning_rate) {
  lane_->write("optimizer/learning_rate", Tensor(learning_rate));
}

void Trainer::cancel() {
  lane_->cancel();
}
void Trainer::finish() {
  lane_->finish();
}
Metrics Trainer::progress() const {
  return lane_->progress();
}
Metrics Trainer::metrics() {
  lane_->finish();
  return lane_->progress();
}

}  // namespace penstock
