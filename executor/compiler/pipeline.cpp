#include "executor/compiler/pipeline.h"

#include "executor/compiler/bucket/bucket.h"
#include "executor/compiler/decode/decode.h"
#include "executor/compiler/differentiate/differentiate.h"
#include "executor/compiler/emit/emit.h"
#include "executor/compiler/fuse/fuse.h"
#include "executor/compiler/partition/partition.h"
#include "executor/compiler/place/place.h"
#include "executor/compiler/precision/precision.h"
#include "executor/compiler/schedule/schedule.h"
#include "executor/compiler/simplify/simplify.h"
#include "schema/program/text.h"
#include "schema/program/verify.h"

namespace penstock::compiler {
namespace {

using program::Program;

Status verify(const Differentiated& both) {
  return program::verify(both.program);
}
std::string print(const Differentiated& both) {
  return program::print(both.program) + program::print(both.plan);
}

/// Runs each stage with its timer, its verifier and its numbered text.
class Stages {
 public:
  explicit Stages(const CompileOptions& options) : options_(options) {}

  /// `stage` makes the stage's result, a value or a Result of one.
  template <class Out, class Stage>
  Result<Out> run(std::string_view name, Stage&& stage) {
    const Instant begin = now();
    Result<Out> out = stage();
    if (!out.ok()) return std::move(out).error().in(name);
    if (Status status = verify(*out); !status.ok())
      return std::move(status).error().in(std::string(name) + ", verifier");
    report(name, now() - begin, false, *out);
    return out;
  }

  /// A stage that can be left out.
  template <class Value, class Stage>
  Result<Value> run_optional(std::string_view name, Value value, Stage&& stage) {
    if (options_.off.find(name) == options_.off.end())
      return run<Value>(name, [&] { return stage(std::move(value)); });
    report(name, {}, true, value);
    return value;
  }

 private:
  Instant now() const { return options_.clock != nullptr ? options_.clock->now() : Instant{}; }

  template <class Out>
  void report(std::string_view name, Nanoseconds time, const bool skipped, const Out& out) {
    ++number_;
    if (!options_.report) return;
    options_.report({number_, name, time, skipped, options_.dump ? print(out) : std::string()});
  }

  const CompileOptions& options_;
  int number_ = 0;
};

}  // namespace

Result<Executable> compile(std::string_view program_text, const program::Plan& plan,
                           const Target& target, const CompileOptions& options) {
  for (const std::string& stage : options.off)
    if (stage != "simplify" && stage != "bucket" && stage != "fuse")
      return invalid("stage '" + stage +
                     "' cannot be switched off; only simplify, bucket and fuse can");
  Stages stages(options);
  PENSTOCK_ASSIGN(Program decoded,
                  stages.run<Program>("decode", [&] { return decode(program_text); }));
  PENSTOCK_ASSIGN(Program simple, stages.run_optional("simplify", std::move(decoded), simplify));
  PENSTOCK_ASSIGN(Differentiated trained, stages.run<Differentiated>("differentiate", [&] {
    return differentiate(std::move(simple), plan);
  }));
  // Gradients bring copies and identities of their own.
  PENSTOCK_ASSIGN(Program tidy,
                  stages.run_optional("simplify", std::move(trained.program), simplify));
  PENSTOCK_ASSIGN(Program precise, stages.run<Program>("precision", [&] {
    return choose_precision(std::move(tidy));
  }));
  PENSTOCK_ASSIGN(ShardedProgram sharded, stages.run<ShardedProgram>("partition", [&] {
    return partition(precise, trained.plan);
  }));
  PENSTOCK_ASSIGN(ShardedProgram bucketed,
                  stages.run_optional("bucket", std::move(sharded), bucket));
  PENSTOCK_ASSIGN(ScheduledProgram scheduled, stages.run<ScheduledProgram>("schedule", [&] {
    return schedule(bucketed, target);
  }));
  PENSTOCK_ASSIGN(ScheduledProgram fused, stages.run_optional("fuse", std::move(scheduled), fuse));
  PENSTOCK_ASSIGN(PlacedProgram placed,
                  stages.run<PlacedProgram>("place", [&] { return place(fused, target); }));
  return stages.run<Executable>("emit", [&] { return emit(placed); });
}

program::Plan batch_plan(const Program& program, std::int64_t devices, std::int64_t micro_batches) {
  program::Plan plan;
  plan.mesh.axes = {{"data", devices, false}, {"micro", micro_batches, true}};
  for (const program::Entry& entry : program.entries)
    for (const program::ValueInfo& value : entry.values) {
      const int dim = dynamic_dim(value.type.shape);
      if (value.source != program::Source::input || dim < 0) continue;
      const program::AxisSharding cut{program::Spread::split, dim};
      plan.annotations.push_back({entry.name, value.name, {cut, cut}});
    }
  return plan;
}

}  // namespace penstock::compiler
