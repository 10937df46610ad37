#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "executor/compiler/executable.h"
#include "executor/compiler/target.h"
#include "schema/program/program.h"
#include "schema/program/sharding.h"

namespace penstock::compiler {

/// What the wrapper around each stage tells: number from 1, name, time, and the text after it.
struct StageReport {
  int number = 0;
  std::string_view stage;
  Nanoseconds time{};
  bool skipped = false;
  std::string text;  // only when asked for
};

struct CompileOptions {
  /// Stages to leave out; only `simplify` and `bucket` can be: the others change the type or are
  /// needed for it.
  std::set<std::string, std::less<>> off;
  bool dump = false;
  std::function<void(const StageReport&)> report;
  const Clock* clock = nullptr;  // for the timer; none: times are zero
};

/// decode > simplify > differentiate > precision > partition > bucket > place > emit. The only
/// function that knows the order.
/// Errors: the first stage's error, `partition: entry step, matmul %7: ...`; resource_exhausted
///         when the peak does not fit the device, with the sizes.
/// Threads: pure
Result<Executable> compile(std::string_view program_text, const program::Plan& plan,
                           const Target& target, const CompileOptions& options);

/// A plan that cuts every dynamic dimension of every input over `data` (devices) and `micro`
/// (time), and leaves every variable whole.
program::Plan batch_plan(const program::Program& program, std::int64_t devices,
                         std::int64_t micro_batches);

}  // namespace penstock::compiler
