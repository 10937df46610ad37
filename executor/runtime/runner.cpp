#include "executor/runtime/runner.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "executor/runtime/call_walk.h"
#include "executor/runtime/check_executable.h"
#include "executor/runtime/extents.h"
#include "executor/runtime/initialize.h"
#include "executor/runtime/nearest.h"

namespace penstock::runtime {
namespace {

using compiler::ExecutableEntry;
using compiler::Port;
using compiler::VariableSlot;

class ArenaRunner final : public Runner {
 public:
  explicit ArenaRunner(Options options)
      : options_(std::move(options)),
        position_(position_of(options_.executable.plan.mesh, options_.rank)) {}

  Status prepare() {
    PENSTOCK_TRY(options_.backend->allocate(options_.executable.arena_bytes));
    for (const VariableSlot& slot : options_.executable.variables) {
      std::vector<program::Range> part;
      for (std::size_t dim = 0; dim < slot.global.type.shape.size(); ++dim) {
        part.push_back(share_of(slot.global.type.shape[dim].bound, static_cast<int>(dim),
                                slot.operand.sharding, mesh(), position_, Share::device));
      }
      PENSTOCK_TRY(initialize(slot.global, options_.executable.seed, part, variable_bytes(slot)));
    }
    return {};
  }

  const compiler::Executable& executable() const override { return options_.executable; }

  program::Range rows(const Port& port, std::int64_t batch_size) const override {
    if (port.global.shape.empty()) return {0, 1};
    const int dynamic = program::dynamic_dim(port.global.shape);
    const std::int64_t n = dynamic >= 0 ? batch_size : port.global.shape[0].bound;
    return share_of(n, dynamic >= 0 ? dynamic : 0, port.operand.sharding, mesh(), position_,
                    port.operand.per_micro ? Share::device : Share::micro);
  }

  std::span<std::byte> port_bytes(const Port& port, std::int64_t batch_size) override {
    return device_view(port.operand, {mesh(), position_, batch_size}, options_.backend->arena())
        .bytes();
  }

  Result<CallTimes> run(std::string_view name, const RunOptions& run_options) override {
    const ExecutableEntry* entry = options_.executable.find_entry(name);
    if (entry == nullptr) return unknown_entry(name);
    PENSTOCK_TRY(check_batch(*entry, run_options.batch_size));
    if (broken_) {
      return Error{ErrorCode::failed_precondition,
                   "rank " + std::to_string(options_.rank) + ", " + entry->name +
                       ": an earlier call failed, so the variables are undefined; start anew "
                       "from a checkpoint"};
    }
    CallWalk walk({options_.executable, *entry, *options_.backend, options_.collectives,
                   *options_.clock, options_.rank, run_options});
    Result<CallTimes> times = walk.run();
    broken_ = !times.ok();
    return times;
  }

  Result<std::span<std::byte>> variable(std::string_view name) override {
    std::vector<std::string_view> names;
    for (const VariableSlot& slot : options_.executable.variables) {
      if (slot.global.name == name) return variable_bytes(slot);
      names.push_back(slot.global.name);
    }
    return Error{ErrorCode::not_found,
                 "no variable '" + std::string(name) + "'; nearest: " + nearest_names(name, names)};
  }

 private:
  const program::Mesh& mesh() const { return options_.executable.plan.mesh; }

  std::span<std::byte> variable_bytes(const VariableSlot& slot) {
    return view_of(slot.operand, {mesh(), position_, 0}, options_.backend->arena()).bytes();
  }

  Error unknown_entry(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const ExecutableEntry& entry : options_.executable.entries) names.push_back(entry.name);
    return {ErrorCode::not_found,
            "no entry '" + std::string(name) + "'; nearest: " + nearest_names(name, names)};
  }

  /// A call may not have more rows than its ports are made for.
  Status check_batch(const ExecutableEntry& entry, std::int64_t batch_size) const {
    if (batch_size < 0) return invalid("a call of " + std::to_string(batch_size) + " rows");
    for (const auto* ports : {&entry.inputs, &entry.outputs}) {
      for (const Port& port : *ports) {
        const int dynamic = program::dynamic_dim(port.global.shape);
        if (dynamic < 0) continue;
        const std::int64_t bound = port.global.shape[static_cast<std::size_t>(dynamic)].bound;
        if (batch_size > bound) {
          return invalid(entry.name + ": a call of " + std::to_string(batch_size) + " rows, but '" +
                         port.name + "' is made for at most " + std::to_string(bound) +
                         "; send smaller batches");
        }
      }
    }
    return {};
  }

  Options options_;
  Position position_;
  bool broken_ = false;
};

}  // namespace

Result<std::unique_ptr<Runner>> Runner::create(Options options) {
  PENSTOCK_CHECK(options.backend != nullptr && options.clock != nullptr);
  PENSTOCK_TRY(
      check_executable(options.executable,
                       {.rank = options.rank, .has_collectives = options.collectives != nullptr}));
  auto runner = std::make_unique<ArenaRunner>(std::move(options));
  PENSTOCK_TRY(runner->prepare());
  return std::unique_ptr<Runner>(std::move(runner));
}

}  // namespace penstock::runtime
