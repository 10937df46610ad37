#include "sdk/src/lane_wire.h"

#include "base/net/rpc_error.h"
#include "schema/wire/byte_stream.h"
#include "schema/wire/convert.h"
#include "sdk/src/tensor_wire.h"
#include "sdk/src/wire_values.h"

namespace penstock::detail {
namespace {

/// Inputs beyond this many bytes of one call are uploaded, so that no message nears its limit.
constexpr std::size_t kInlineOfCallMax = wire::kMessageBytesMax / 2;

TimeSplit read_time(wire::TimeSplit::Reader in) {
  const wire::CallTime time = wire::read(in);
  return {time.queue, time.input, time.compute, time.communication, time.total};
}

kj::Promise<LaneReply> read_result(wire::CallResult::Reader in) {
  LaneReply reply;
  reply.time = read_time(in.getTime());
  reply.usage = read_usage(in.getUsage());
  reply.step = in.getStep();
  std::vector<std::string> names;
  auto tensors = kj::heapArrayBuilder<kj::Promise<Tensor>>(in.getOutputs().size());
  for (const auto output : in.getOutputs()) {
    names.push_back(wire::to_string(output.getName()));
    tensors.add(receive_tensor(output));
  }
  return kj::joinPromises(tensors.finish())
      .then([reply = std::move(reply),
             names = std::move(names)](kj::Array<Tensor>&& outputs) mutable {
        for (std::size_t i = 0; i < names.size(); ++i)
          reply.outputs.emplace(std::move(names[i]), kj::mv(outputs[i]));
        return std::move(reply);
      });
}

/// Takes the results of a repetition, one by one.
class RunSink final : public wire::ResultSink::Server {
 public:
  explicit RunSink(std::function<bool(LaneReply)> on_run) : on_run_(std::move(on_run)) {}

  kj::Promise<void> push(PushContext context) override {
    return read_result(context.getParams().getResult()).then([this, context](LaneReply&& reply) {
      if (!on_run_(std::move(reply)))
        net::throw_error({ErrorCode::cancelled, "the caller has heard enough"});
    });
  }

 private:
  const std::function<bool(LaneReply)> on_run_;
};

}  // namespace

struct LaneWire::Outgoing {
  std::uint64_t number = 0;
  LaneCall call;
  Done done;
  std::map<std::string, std::uint64_t, std::less<>> uploads;  // input to upload number
  int uploads_left = 0;
  Instant sent_at;
};

LaneWire::LaneWire(wire::Executable::Client executable) : executable_(kj::mv(executable)) {}
LaneWire::LaneWire(wire::Trainer::Client trainer)
    : executable_(trainer), trainer_(kj::mv(trainer)) {}

LaneWire::~LaneWire() = default;

void LaneWire::submit(std::uint64_t number, LaneCall call, Done done) {
  if (failed_) return done(*failed_, {});
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->number = number;
  outgoing->call = std::move(call);
  outgoing->done = std::move(done);
  Outgoing& added = *outgoing;
  waiting_.push_back(std::move(outgoing));
  std::size_t inline_bytes = 0;
  for (const auto& [name, tensor] : added.call.inputs) {
    const std::size_t size = tensor.bytes().size();
    if (size > wire::kInlineBytesMax || inline_bytes + size > kInlineOfCallMax)
      upload(added, name, tensor);
    else
      inline_bytes += size;
  }
  pump();
}

void LaneWire::upload(Outgoing& call, const std::string& name, const Tensor& tensor) {
  const std::uint64_t number = next_upload_++;
  call.uploads.emplace(name, number);
  ++call.uploads_left;
  auto request = executable_.uploadRequest();
  request.setUpload(number);
  request.setName(wire::to_kj(name));
  const std::string dtype(program::name(tensor.dtype()));
  request.setDtype(wire::to_kj(dtype));
  auto shape = request.initShape(static_cast<unsigned>(tensor.shape().size()));
  for (unsigned i = 0; i < shape.size(); ++i) shape.set(i, tensor.shape()[i]);
  auto sink = request.send().getSink();
  // The tensor rides along: its bytes are read until the stream has ended.
  auto sent = wire::send_bytes(kj::mv(sink), tensor.bytes()).attach(kj::heap<Tensor>(tensor));
  tasks_.add(sent.then([this, number = call.number]() { upload_ended(number); },
                       [this, name](kj::Exception&& exception) {
                         fail(net::from_exception(exception).in("upload of input '" + name + "'"));
                       }));
}

void LaneWire::upload_ended(std::uint64_t number) {
  for (const auto& call : waiting_)
    if (call->number == number) --call->uploads_left;
  pump();
}

void LaneWire::pump() {
  while (!failed_ && !waiting_.empty() && waiting_.front()->uploads_left == 0) {
    auto call = std::move(waiting_.front());
    waiting_.pop_front();
    send(std::move(call));
  }
}

void LaneWire::fill_tensor(wire::Tensor::Builder out, const std::string& name,
                           const Outgoing& call) {
  const Tensor& tensor = call.call.inputs.find(name)->second;
  set_tensor_type(out, name, tensor);
  const auto upload = call.uploads.find(name);
  if (upload != call.uploads.end()) return out.setUpload(upload->second);
  const auto bytes = tensor.bytes();
  out.setInline(kj::arrayPtr(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
}

template <class Request>
void LaneWire::send_batch(std::unique_ptr<Outgoing> call, Request request) {
  request.initCall().setNumber(call->number);
  auto batch = request.initBatch();
  batch.setSize(call->call.rows);
  auto inputs = batch.initInputs(static_cast<unsigned>(call->call.inputs.size()));
  unsigned i = 0;
  for (const auto& [name, tensor] : call->call.inputs) fill_tensor(inputs[i++], name, *call);
  await_result(std::move(call), request.send());
}

template <class Reply>
void LaneWire::await_result(std::unique_ptr<Outgoing> call, Reply reply) {
  const std::uint64_t number = call->number;
  under_way_.emplace(number, std::move(call));
  await_reply(number,
              reply.then([](auto&& response) { return read_result(response.getResult()); }));
}

void LaneWire::send(std::unique_ptr<Outgoing> call) {
  call->sent_at = clock_.now();
  const std::uint64_t number = call->number;
  const LaneCall& what = call->call;
  switch (what.kind) {
    case CallKind::run: {
      auto request = executable_.runRequest();
      request.setEntry(wire::to_kj(what.name));
      return send_batch(std::move(call), kj::mv(request));
    }
    case CallKind::repeat: {
      auto request = executable_.repeatRequest();
      request.setEntry(wire::to_kj(what.name));
      request.setMost(what.repeat.most);
      request.setUntil(wire::to_kj(what.repeat.until));
      request.setSink(kj::heap<RunSink>(what.repeat.on_run));
      return send_batch(std::move(call), kj::mv(request));
    }
    case CallKind::step:
      return send_batch(std::move(call), trainer_->stepRequest());
    case CallKind::forward_backward:
      return send_batch(std::move(call), trainer_->forwardBackwardRequest());
    case CallKind::evaluate:
      return send_batch(std::move(call), trainer_->evaluateRequest());
    case CallKind::optimizer_step: {
      auto request = trainer_->optimizerStepRequest();
      request.initCall().setNumber(number);
      return await_result(std::move(call), request.send());
    }
    case CallKind::read_variable: {
      auto request = executable_.readVariableRequest();
      request.initCall().setNumber(number);
      request.setName(wire::to_kj(what.name));
      under_way_.emplace(number, std::move(call));
      return await_reply(number, request.send().then([](auto&& response) {
        return receive_tensor(response.getTensor()).then([](Tensor&& tensor) {
          LaneReply reply;
          reply.outputs.emplace("value", kj::mv(tensor));
          return reply;
        });
      }));
    }
    case CallKind::write_variable: {
      auto request = executable_.writeVariableRequest();
      request.initCall().setNumber(number);
      fill_tensor(request.initTensor(), what.name, *call);
      under_way_.emplace(number, std::move(call));
      return await_reply(number, request.send().then([](auto&&) { return LaneReply(); }));
    }
  }
}

void LaneWire::await_reply(std::uint64_t number, kj::Promise<LaneReply> reply) {
  tasks_.add(net::settle(kj::mv(reply)).then([this, number](Result<LaneReply>&& result) {
    finished(number, std::move(result));
  }));
}

void LaneWire::finished(std::uint64_t number, Result<LaneReply> reply) {
  const auto at = under_way_.find(number);
  if (at == under_way_.end()) return;  // `fail` was first
  const std::unique_ptr<Outgoing> call = std::move(at->second);
  under_way_.erase(at);
  if (!reply.ok() && !failed_) failed_ = reply.error();
  call->done(std::move(reply), clock_.now() - call->sent_at);
  if (failed_) fail(*failed_);  // what waits for uploads will not be sent any more
}

void LaneWire::fail(const Error& error) {
  if (!failed_) {
    failed_ = error;
    for (auto& [number, call] : std::exchange(under_way_, {})) call->done(error, {});
  }
  for (auto& call : std::exchange(waiting_, {})) call->done(*failed_, {});
}

kj::Promise<std::vector<VariableInfo>> LaneWire::variables() {
  return executable_.variablesRequest().send().then([](auto&& response) {
    std::vector<VariableInfo> out;
    for (const auto variable : response.getVariables()) {
      const TensorType type = net::or_throw(
          wire::read_type(variable.getName(), variable.getDtype(), variable.getShape()));
      out.push_back({wire::to_string(variable.getName()), type.dtype, program::bounds(type.shape),
                     variable.getTrainable()});
    }
    return out;
  });
}

void LaneWire::taskFailed(kj::Exception&& exception) {
  fail(net::from_exception(exception));
}

}  // namespace penstock::detail
