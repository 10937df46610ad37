#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/attempt.h"
#include "penstock/executable.h"
#include "penstock/future.h"
#include "penstock/report.h"

namespace penstock {

/// A program that trains on the devices of a lease. A step is one call, and many are under way at
/// once, so that training runs as fast on a far gateway as on a near one.
/// Errors: Exception with invalid_argument at once where a batch does not fit the program; what
/// fails on the devices arrives at the next wait, and at the next call
/// Threads: any; order between threads is the caller's business
class Trainer {
 public:
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  /// forward_backward, then optimizer_step. Blocks only while the window of calls is full.
  Future<StepResult> step(const Tensors& batch);
  /// The same without exceptions; Future::try_get waits without them.
  Result<Future<StepResult>> try_step(const Tensors& batch) {
    return attempt([&] { return step(batch); });
  }
  /// Adds to the gradients, which optimizer_step then uses and clears.
  Future<StepResult> forward_backward(const Tensors& batch);
  Future<StepResult> optimizer_step();
  /// Loss and metrics without learning.
  Future<StepResult> evaluate(const Tensors& batch);

  /// Evaluates every element of `batches`; `to_inputs` makes the call's tensors of it.
  template <class Batches, class ToInputs>
  Evaluation evaluate(Batches&& batches, ToInputs to_inputs) {
    std::vector<Future<StepResult>> results;
    for (const auto& element : batches) results.push_back(evaluate(to_inputs(element)));
    return mean_of(results);
  }

  /// The value after all calls that were started before.
  Tensor read(std::string_view variable);
  /// For all calls that are started later.
  void write(std::string_view variable, const Tensor& value);
  std::vector<VariableInfo> variables();
  /// For all steps that are started later.
  void set_learning_rate(double learning_rate);

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
  explicit Trainer(std::unique_ptr<detail::Lane> lane);
  static Evaluation mean_of(const std::vector<Future<StepResult>>& results);
  std::unique_ptr<detail::Lane> lane_;
};

}  // namespace penstock
