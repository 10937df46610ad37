#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/attempt.h"
#include "penstock/future.h"
#include "penstock/report.h"

namespace penstock {

namespace detail {
class Lane;
}

struct VariableInfo {
  std::string name;
  DType dtype = DType::f32;
  Extents shape;
  bool trainable = false;
};

struct RepeatOptions {
  std::uint64_t most = 1;
  /// A bool output that every device has whole, such as a scalar; after the run in which all its
  /// elements are true no other follows. Empty: none.
  std::string until = {};
  std::function<bool(RunResult)> on_run = {};
};

/// A compiled program on the devices of a lease. Calls are numbered and run in order; the first
/// that fails breaks all later ones with its error.
/// Errors: Exception with invalid_argument at once where inputs do not fit the program
/// Threads: any; order between threads is the caller's business
class Executable {
 public:
  Executable(Executable&&) noexcept;
  Executable& operator=(Executable&&) noexcept;
  ~Executable();

  /// Starts a call of entry `main`. Blocks only while the window of calls under way is full.
  Future<RunResult> run(const Tensors& inputs);
  Future<RunResult> run(std::string_view entry, const Tensors& inputs);

  /// Runs an entry up to `most` times on the same inputs, as one call: nothing waits for a round
  /// trip between two runs. `on_run` gets each run's result in order, as soon as it is there, on
  /// the client's network thread: keep it short. Returning false ends the repetition soon. The
  /// future has the last run's outputs and the sums of times and usage.
  Future<RunResult> repeat(std::string_view entry, const Tensors& inputs,
                           const RepeatOptions& options);

  /// The same without exceptions; Future::try_get waits without them.
  Result<Future<RunResult>> try_run(const Tensors& inputs) {
    return attempt([&] { return run(inputs); });
  }
  Result<Future<RunResult>> try_run(std::string_view entry, const Tensors& inputs) {
    return attempt([&] { return run(entry, inputs); });
  }

  /// The value after all calls that were started before.
  Tensor read(std::string_view variable);
  /// For all calls that are started later.
  void write(std::string_view variable, const Tensor& value);
  std::vector<VariableInfo> variables();

  Result<Tensor> try_read(std::string_view variable) {
    return attempt([&] { return read(variable); });
  }
  Status try_write(std::string_view variable, const Tensor& value) {
    return attempt([&] { write(variable, value); });
  }
  Status try_finish() {
    return attempt([&] { finish(); });
  }

  /// Ends every call that has no answer, and all later ones, with `cancelled`: what waits on
  /// another thread returns at once. What the devices had begun may still change the variables.
  void cancel();

  /// Waits until every call that was started has been answered.
  /// Errors: the first one's that failed
  void finish();
  /// After `finish`.
  Metrics metrics();
  /// Without waiting: of the calls that have been answered.
  Metrics progress() const;

 private:
  friend class Lease;
  explicit Executable(std::unique_ptr<detail::Lane> lane);
  std::unique_ptr<detail::Lane> lane_;
};

}  // namespace penstock
