#pragma once

#include <functional>
#include <memory>
#include <string>

#include "executor/worker/lane.h"
#include "executor/worker/uploads.h"
#include "schema/wire/lane.capnp.h"

namespace penstock::executor {

/// What a client holds of one loaded program: an executable, or a trainer when the program has a
/// training section. Dropping it frees the lane on every rank.
class ExecutableServer final : public wire::Trainer::Server {
 public:
  /// `released` is called when the last reference is gone.
  ExecutableServer(Lane::Options options, std::function<void()> released);
  ~ExecutableServer() noexcept(false);

  kj::Promise<void> run(RunContext context) override;
  kj::Promise<void> upload(UploadContext context) override;
  kj::Promise<void> readVariable(ReadVariableContext context) override;
  kj::Promise<void> writeVariable(WriteVariableContext context) override;
  kj::Promise<void> variables(VariablesContext context) override;
  kj::Promise<void> repeat(RepeatContext context) override;

  kj::Promise<void> step(StepContext context) override;
  kj::Promise<void> forwardBackward(ForwardBackwardContext context) override;
  kj::Promise<void> optimizerStep(OptimizerStepContext context) override;
  kj::Promise<void> evaluate(EvaluateContext context) override;

 private:
  template <class Context>
  kj::Promise<void> run_entry(Context context, std::string entry);
  Result<CallInputs> read_batch(wire::Batch::Reader batch);
  Status read_tensor(wire::Tensor::Reader tensor, CallInputs& inputs);

  Lane lane_;
  Uploads uploads_;
  std::function<void()> released_;
};

/// Writes a tensor of a reply: inline where small, as a stream otherwise, which keeps the reply.
/// `inline_left` is how much may still travel inside the message.
void write_tensor(wire::Tensor::Builder out, const ReplyPtr& reply, const OutputTensor& output,
                  std::uint64_t& inline_left);

}  // namespace penstock::executor
