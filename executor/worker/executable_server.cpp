#include "executor/worker/executable_server.h"

#include <utility>

#include "base/net/rpc_error.h"
#include "schema/wire/byte_stream.h"
#include "schema/wire/convert.h"

namespace penstock::executor {
namespace {

/// How much of a reply travels inside its message; the rest is streamed.
constexpr std::uint64_t kInlineReplyBytesMax = 8 * kMiB;

void write_result(wire::CallResult::Builder out, const ReplyPtr& reply) {
  out.setNumber(reply->number);
  out.setStep(reply->step);
  wire::set(out.initTime(), reply->time);
  wire::set(out.initUsage(), reply->usage);
  const ReplyPtr last = reply->runs.empty() ? reply : reply->runs.back();
  auto outputs = out.initOutputs(static_cast<unsigned>(last->outputs.size()));
  std::uint64_t inline_left = kInlineReplyBytesMax;
  for (unsigned i = 0; i < outputs.size(); ++i)
    write_tensor(outputs[i], last, last->outputs[i], inline_left);
}

}  // namespace

void write_tensor(wire::Tensor::Builder out, const ReplyPtr& reply, const OutputTensor& output,
                  std::uint64_t& inline_left) {
  wire::set_type(out, output.name, output.type);
  const auto bytes = output.bytes.bytes();
  if (bytes.size() <= wire::kInlineBytesMax && bytes.size() <= inline_left) {
    inline_left -= bytes.size();
    out.setInline(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
    return;
  }
  out.setSource(wire::serve_bytes(bytes, kj::heap<ReplyPtr>(reply)));
}

ExecutableServer::ExecutableServer(Lane::Options options, std::function<void()> released)
    : lane_(std::move(options)),
      uploads_(lane_.options().limits, lane_.options().pool),
      released_(std::move(released)) {}

ExecutableServer::~ExecutableServer() noexcept(false) {
  released_();
}

Status ExecutableServer::read_tensor(wire::Tensor::Reader tensor, CallInputs& inputs) {
  PENSTOCK_ASSIGN(program::TensorType type, wire::read_type(tensor));
  GivenTensor given{wire::to_string(tensor.getName()), std::move(type), {}};
  switch (tensor.which()) {
    case wire::Tensor::INLINE: {
      const auto bytes = tensor.getInline();
      given.bytes = {reinterpret_cast<const std::byte*>(bytes.begin()), bytes.size()};
      break;
    }
    case wire::Tensor::UPLOAD: {
      PENSTOCK_ASSIGN(auto upload, uploads_.take(tensor.getUpload(), given.name, given.type));
      given.bytes = upload->bytes.bytes();
      inputs.keep.push_back(std::move(upload));
      break;
    }
    case wire::Tensor::SOURCE:
      return invalid("input " + given.name +
                     ": a source is for results; send an inline tensor or an upload");
  }
  inputs.batch.inputs.push_back(std::move(given));
  return {};
}

Result<CallInputs> ExecutableServer::read_batch(wire::Batch::Reader batch) {
  CallInputs inputs;
  inputs.batch.size = batch.getSize();
  for (const auto tensor : batch.getInputs()) PENSTOCK_TRY(read_tensor(tensor, inputs));
  return inputs;
}

template <class Context>
kj::Promise<void> ExecutableServer::run_entry(Context context, std::string entry) {
  // Never cancellable: a call that was admitted runs once, whether its client waits or not.
  CallRequest request{
      .number = context.getParams().getCall().getNumber(),
      .kind = CommandKind::run,
      .name = std::move(entry),
      .inputs = [this, context]() mutable { return read_batch(context.getParams().getBatch()); }};
  return lane_.call(std::move(request)).then([context](ReplyPtr&& reply) mutable {
    write_result(context.getResults().initResult(), reply);
  });
}

kj::Promise<void> ExecutableServer::run(RunContext context) {
  return run_entry(context, wire::to_string(context.getParams().getEntry()));
}

kj::Promise<void> ExecutableServer::repeat(RepeatContext context) {
  const auto params = context.getParams();
  // std::function wants to be copyable, and a client copies from what is not const.
  auto sink = std::make_shared<wire::ResultSink::Client>(params.getSink());
  RepeatRequest repeat{.most = params.getMost(),
                       .until = wire::to_string(params.getUntil()),
                       .deliver = [sink](ReplyPtr run) {
                         auto push = sink->pushRequest();
                         write_result(push.initResult(), run);
                         return push.send();
                       }};
  CallRequest request{
      .number = params.getCall().getNumber(),
      .kind = CommandKind::run,
      .name = wire::to_string(params.getEntry()),
      .inputs = [this, context]() mutable { return read_batch(context.getParams().getBatch()); },
      .repeat = std::move(repeat)};
  return lane_.call(std::move(request)).then([context](ReplyPtr&& reply) mutable {
    auto results = context.getResults();
    results.setRuns(reply->run_count);
    write_result(results.initResult(), reply);
  });
}

kj::Promise<void> ExecutableServer::step(StepContext context) {
  return run_entry(context, "step");
}

kj::Promise<void> ExecutableServer::forwardBackward(ForwardBackwardContext context) {
  return run_entry(context, "forward_backward");
}

kj::Promise<void> ExecutableServer::evaluate(EvaluateContext context) {
  return run_entry(context, "evaluate");
}

kj::Promise<void> ExecutableServer::optimizerStep(OptimizerStepContext context) {
  CallRequest request{.number = context.getParams().getCall().getNumber(),
                      .kind = CommandKind::run,
                      .name = "update",
                      .inputs = [context] { return Result<CallInputs>(CallInputs{}); }};
  return lane_.call(std::move(request)).then([context](ReplyPtr&& reply) mutable {
    write_result(context.getResults().initResult(), reply);
  });
}

kj::Promise<void> ExecutableServer::upload(UploadContext context) {
  const auto params = context.getParams();
  auto type =
      net::or_throw(wire::read_type(params.getName(), params.getDtype(), params.getShape()));
  context.getResults().setSink(net::or_throw(
      uploads_.begin(params.getUpload(), wire::to_string(params.getName()), std::move(type))));
  return kj::READY_NOW;
}

kj::Promise<void> ExecutableServer::readVariable(ReadVariableContext context) {
  CallRequest request{.number = context.getParams().getCall().getNumber(),
                      .kind = CommandKind::read_variable,
                      .name = wire::to_string(context.getParams().getName()),
                      .inputs = [context] { return Result<CallInputs>(CallInputs{}); }};
  return lane_.call(std::move(request)).then([context](ReplyPtr&& reply) mutable {
    std::uint64_t inline_left = kInlineReplyBytesMax;
    write_tensor(context.getResults().initTensor(), reply, reply->outputs.at(0), inline_left);
  });
}

kj::Promise<void> ExecutableServer::writeVariable(WriteVariableContext context) {
  const auto params = context.getParams();
  CallRequest request{.number = params.getCall().getNumber(),
                      .kind = CommandKind::write_variable,
                      .name = wire::to_string(params.getTensor().getName()),
                      .inputs = [this, context]() mutable -> Result<CallInputs> {
                        CallInputs inputs;
                        PENSTOCK_TRY(read_tensor(context.getParams().getTensor(), inputs));
                        return inputs;
                      }};
  return lane_.call(std::move(request)).then([context](ReplyPtr&&) mutable {});
}

kj::Promise<void> ExecutableServer::variables(VariablesContext context) {
  const auto& slots = lane_.executable().variables;
  auto out = context.getResults().initVariables(static_cast<unsigned>(slots.size()));
  for (unsigned i = 0; i < out.size(); ++i) {
    const program::Variable& variable = slots[i].global;
    out[i].setName(wire::to_kj(variable.name));
    out[i].setDtype(std::string(program::name(variable.type.dtype)).c_str());
    out[i].setTrainable(variable.trainable);
    const auto extents = program::bounds(variable.type.shape);
    auto shape = out[i].initShape(static_cast<unsigned>(extents.size()));
    for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, extents[d]);
  }
  return kj::READY_NOW;
}

}  // namespace penstock::executor
