#include "penstock/lease.h"

#include "schema/program/verify.h"
#include "sdk/src/graph.h"
#include "sdk/src/lane.h"
#include "sdk/src/lease_core.h"
#include "sdk/src/plan.h"

namespace penstock {

using detail::DataPlan;
using detail::Lane;
using detail::LeaseCore;

std::string_view name(LaneKind kind) {
  switch (kind) {
    case LaneKind::automatic:
      return "automatic";
    case LaneKind::direct:
      return "direct";
    case LaneKind::relay:
      return "relay";
  }
  return "automatic";
}

namespace {

std::unique_ptr<Lane> open_lane(const std::shared_ptr<LeaseCore>& lease, program::Program program,
                                std::int64_t micro_batches, Nanoseconds deadline) {
  value_or_throw(program::verify(program));
  const DataPlan options{.devices = static_cast<std::int64_t>(lease->info().devices.size()),
                         .micro_batches = micro_batches};
  const program::Plan plan = value_or_throw(detail::data_plan(program, options));
  LeaseCore::OpenedLane opened = value_or_throw(lease->open_lane(program, plan, deadline));
  return std::make_unique<Lane>(lease, std::move(opened.wire), std::move(program),
                                opened.round_trip);
}

}  // namespace

Lease::Lease(std::shared_ptr<LeaseCore> core) : core_(std::move(core)) {}
Lease::Lease(Lease&&) noexcept = default;
Lease& Lease::operator=(Lease&&) noexcept = default;
Lease::~Lease() = default;

namespace {

program::Attributes clipping_of(const TrainOptions& options) {
  program::Attributes out;
  if (options.clip_value != 0) out.set("clip_value", options.clip_value);
  if (options.clip_norm != 0) out.set("clip_norm", options.clip_norm);
  return out;
}

}  // namespace

Trainer Lease::train(const Value& loss, TrainOptions options) {
  return Trainer(open_lane(
      core_,
      detail::training_program(loss, options.metrics, options.optimizer, clipping_of(options)),
      options.micro_batches, options.deadline));
}

Executable Lease::load(const Program& program, LoadOptions options) {
  return Executable(open_lane(core_, detail::GraphAccess::graph(program).program,
                              options.micro_batches, options.deadline));
}

const LeaseInfo& Lease::info() const {
  return core_->info();
}
Bill Lease::bill() const {
  return value_or_throw(core_->bill());
}
Bill Lease::release() {
  return value_or_throw(core_->release());
}
LaneKind Lease::lane_kind() const {
  return value_or_throw(core_->lane_kind());
}

}  // namespace penstock
