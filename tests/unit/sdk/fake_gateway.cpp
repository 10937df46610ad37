#include "tests/unit/sdk/fake_gateway.h"

#include <unistd.h>

#include <future>

#include "base/clock.h"
#include "base/net/rpc_server.h"
#include "schema/wire/byte_stream.h"
#include "schema/wire/convert.h"
#include "schema/wire/version.h"
#include "sdk/src/wire_pch.h"

namespace penstock::testing {

struct FakeGateway::State {
  Options options;
  std::string direct_path;
  mutable std::mutex mutex;
  Seen seen;  // guarded by mutex
  kj::Own<kj::CrossThreadPromiseFulfiller<void>> stop, end;
  // The loop's:
  int waiting = 0;
  std::vector<kj::Own<kj::PromiseFulfiller<void>>> held;
};

namespace {

using State = FakeGateway::State;

class FakeTrainer final : public wire::Trainer::Server {
 public:
  explicit FakeTrainer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  kj::Promise<void> run(RunContext context) override {
    return answer(context.getParams().getCall(), context.getParams().getBatch(),
                  context.getResults().initResult());
  }
  kj::Promise<void> step(StepContext context) override {
    return answer(context.getParams().getCall(), context.getParams().getBatch(),
                  context.getResults().initResult());
  }
  kj::Promise<void> evaluate(EvaluateContext context) override {
    return answer(context.getParams().getCall(), context.getParams().getBatch(),
                  context.getResults().initResult());
  }
  kj::Promise<void> upload(UploadContext context) override {
    const auto params = context.getParams();
    const auto type =
        net::or_throw(wire::read_type(params.getName(), params.getDtype(), params.getShape()));
    const std::uint64_t number = params.getUpload();
    auto bytes = std::make_shared<std::vector<std::byte>>(
        static_cast<std::size_t>(program::byte_count(type)));
    context.getResults().setSink(wire::receive_bytes(
        *bytes, kj::heap<std::shared_ptr<std::vector<std::byte>>>(bytes), [this, number, bytes]() {
          finished_.insert(number);
          std::lock_guard lock(state_->mutex);
          state_->seen.uploaded_bytes += bytes->size();
        }));
    return kj::READY_NOW;
  }
  kj::Promise<void> readVariable(ReadVariableContext context) override {
    count(context.getParams().getCall().getNumber(), 0);
    // Larger than a message may carry inline, so that it comes as a stream.
    constexpr std::int64_t kElements = 1 << 19;
    auto out = context.getResults().initTensor();
    wire::set_type(out, "big", {program::DType::f32, {kElements}});
    auto bytes = kj::heap<std::vector<std::byte>>(kElements * 4, std::byte{0});
    const std::span<const std::byte> all(*bytes);
    out.setSource(wire::serve_bytes(all, kj::mv(bytes)));
    return kj::READY_NOW;
  }

 private:
  void count(std::uint64_t number, std::int64_t rows) {
    std::lock_guard lock(state_->mutex);
    state_->seen.numbers.push_back(number);
    state_->seen.rows.push_back(rows);
    state_->seen.most_waiting = std::max(state_->seen.most_waiting, ++state_->waiting);
  }

  kj::Promise<void> answer(wire::Call::Reader call, wire::Batch::Reader batch,
                           wire::CallResult::Builder out) {
    const std::uint64_t number = call.getNumber();
    count(number, batch.getSize());
    for (const auto input : batch.getInputs())
      if (input.isUpload()) {
        if (finished_.erase(input.getUpload()) == 0)
          net::throw_error({ErrorCode::failed_precondition, "the upload is not finished"});
        std::lock_guard lock(state_->mutex);
        ++state_->seen.uploads_used;
      }
    out.setNumber(number);
    out.setStep(number);
    auto outputs = out.initOutputs(1);
    wire::set_type(outputs[0], "loss", {program::DType::f32, {}});
    const auto loss = static_cast<float>(batch.getSize());
    outputs[0].setInline(kj::arrayPtr(reinterpret_cast<const kj::byte*>(&loss), sizeof loss));
    wire::set(out.initTime(), wire::CallTime{{}, {}, 1ms, {}, 1ms});
    wire::set(out.initUsage(), wire::CallUsage{1000, 0, 0, 1, Money{7}});
    return when_free().then([this, number]() {
      --state_->waiting;
      const std::uint64_t from = state_->options.fail_call;
      if (from != 0 && number >= from)
        net::throw_error({ErrorCode::invalid_argument, "rank 1 ran out of luck"});
    });
  }

  /// At once, or when enough calls have come.
  kj::Promise<void> when_free() {
    if (++arrived_ > state_->options.hold_calls) return kj::READY_NOW;
    auto pair = kj::newPromiseAndFulfiller<void>();
    state_->held.push_back(kj::mv(pair.fulfiller));
    if (arrived_ == state_->options.hold_calls)
      for (auto& one : std::exchange(state_->held, {})) one->fulfill();
    return kj::mv(pair.promise);
  }

  std::shared_ptr<State> state_;
  std::set<std::uint64_t> finished_;
  int arrived_ = 0;
};

std::string text_of(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

class FakeLeader final : public wire::Leader::Server {
 public:
  explicit FakeLeader(std::shared_ptr<State> state) : state_(std::move(state)) {}
  kj::Promise<void> train(TrainContext context) override {
    note(context.getParams().getProgram(), context.getParams().getPlan());
    context.getResults().setTrainer(kj::heap<FakeTrainer>(state_));
    return kj::READY_NOW;
  }
  kj::Promise<void> load(LoadContext context) override {
    note(context.getParams().getProgram(), context.getParams().getPlan());
    context.getResults().setExecutable(wire::Trainer::Client(kj::heap<FakeTrainer>(state_)));
    return kj::READY_NOW;
  }
  kj::Promise<void> ping(PingContext) override { return kj::READY_NOW; }

 private:
  void note(capnp::Data::Reader program, capnp::Data::Reader plan) {
    std::lock_guard lock(state_->mutex);
    state_->seen.program = text_of(program);
    state_->seen.plan = text_of(plan);
  }
  std::shared_ptr<State> state_;
};

class FakeDoor final : public wire::DirectDoor::Server {
 public:
  explicit FakeDoor(std::shared_ptr<State> state) : state_(std::move(state)) {}
  kj::Promise<void> present(PresentContext context) override {
    if (text_of(context.getParams().getTicket()) != "ticket")
      net::throw_error({ErrorCode::unauthenticated, "not the ticket"});
    {
      std::lock_guard lock(state_->mutex);
      ++state_->seen.direct;
    }
    context.getResults().setLeader(kj::heap<FakeLeader>(state_));
    wire::set_own_version(context.getResults().initVersion());
    return kj::READY_NOW;
  }

 private:
  std::shared_ptr<State> state_;
};

class FakeLease final : public wire::Lease::Server {
 public:
  FakeLease(std::shared_ptr<State> state, kj::Promise<void> end)
      : state_(std::move(state)), end_(end.fork()) {}
  kj::Promise<void> leader(LeaderContext context) override {
    {
      std::lock_guard lock(state_->mutex);
      ++state_->seen.relayed;
    }
    context.getResults().setLeader(kj::heap<FakeLeader>(state_));
    return kj::READY_NOW;
  }
  kj::Promise<void> renew(RenewContext context) override {
    std::lock_guard lock(state_->mutex);
    ++state_->seen.renewals;
    context.getResults().setExpiresUnixNs((WallClock().now() + state_->options.lease_time).ns);
    return kj::READY_NOW;
  }
  kj::Promise<void> bill(BillContext context) override {
    context.getResults().initBill().setTotalNanos(42);
    return kj::READY_NOW;
  }
  kj::Promise<void> release(ReleaseContext context) override {
    std::lock_guard lock(state_->mutex);
    state_->seen.released = true;
    context.getResults().initBill().setTotalNanos(42);
    return kj::READY_NOW;
  }
  kj::Promise<void> ended(EndedContext context) override {
    context.allowCancellation();
    return end_.addBranch().then([context]() mutable {
      context.getResults().setCode("resource_exhausted");
      context.getResults().setReason("the budget is used up");
    });
  }

 private:
  std::shared_ptr<State> state_;
  kj::ForkedPromise<void> end_;
};

class FakeSession final : public wire::Session::Server {
 public:
  FakeSession(std::shared_ptr<State> state, kj::ForkedPromise<void>& end)
      : state_(std::move(state)), end_(end) {}
  kj::Promise<void> lease(LeaseContext context) override {
    auto results = context.getResults();
    results.setLease(kj::heap<FakeLease>(state_, end_.addBranch()));
    auto info = results.initInfo();
    info.setLease(5);
    info.setExpiresUnixNs((WallClock().now() + state_->options.lease_time).ns);
    auto devices = info.initDevices(context.getParams().getRequest().getDevices());
    for (auto device : devices) device.setClass("cpu");
    auto direct = info.initDirect();
    direct.setTicket(kj::StringPtr("ticket").asBytes());
    if (!state_->options.offer_direct) return kj::READY_NOW;
    direct.initAddresses(1).set(0, wire::to_kj("unix:" + state_->direct_path));
    return kj::READY_NOW;
  }

 private:
  std::shared_ptr<State> state_;
  kj::ForkedPromise<void>& end_;
};

class Fake final : public wire::Gateway::Server {
 public:
  Fake(std::shared_ptr<State> state, kj::ForkedPromise<void>& end)
      : state_(std::move(state)), end_(end) {}
  kj::Promise<void> hello(HelloContext context) override {
    auto version = context.getResults().initVersion();
    wire::set_own_version(version);
    version.setMajor(state_->options.major);
    return kj::READY_NOW;
  }
  kj::Promise<void> login(LoginContext context) override {
    if (wire::to_string(context.getParams().getKey()) != "psk_right")
      net::throw_error({ErrorCode::unauthenticated, "login: this API key is not known"});
    context.getResults().setSession(kj::heap<FakeSession>(state_, end_));
    context.getResults().setAccount("tester");
    return kj::READY_NOW;
  }

 private:
  std::shared_ptr<State> state_;
  kj::ForkedPromise<void>& end_;
};

}  // namespace

FakeGateway::FakeGateway(Options options) : state_(std::make_shared<State>()) {
  static std::atomic<int> count = 0;
  path_ = "/tmp/penstock-fake-" + std::to_string(getpid()) + "-" + std::to_string(++count);
  state_->options = options;
  state_->direct_path = path_ + "-direct";
  std::promise<void> ready;
  std::future<void> up = ready.get_future();
  thread_ = std::thread([this, ready = std::move(ready)]() mutable {
    auto loop = net::EventLoop::create().value();
    auto stop = kj::newPromiseAndCrossThreadFulfiller<void>();
    auto end = kj::newPromiseAndCrossThreadFulfiller<void>();
    auto ended = end.promise.fork();
    NullLog log;
    const auto listen_at = [&loop](const std::string& path) {
      net::Address address;
      address.path = path;
      return net::listen(*loop, address).wait(loop->wait_scope());
    };
    net::RpcServer gateway(
        *loop, listen_at(path_),
        [&](const net::PeerInfo&) -> capnp::Capability::Client {
          return kj::heap<Fake>(state_, ended);
        },
        {}, log);
    std::unique_ptr<net::RpcServer> door;
    if (state_->options.answer_direct)
      door = std::make_unique<net::RpcServer>(
          *loop, listen_at(state_->direct_path),
          [&](const net::PeerInfo&) -> capnp::Capability::Client {
            return kj::heap<FakeDoor>(state_);
          },
          net::RpcServerOptions{}, log);
    state_->stop = kj::mv(stop.fulfiller);
    state_->end = kj::mv(end.fulfiller);
    ready.set_value();
    stop.promise.wait(loop->wait_scope());
    state_->held.clear();
  });
  up.get();
}

FakeGateway::~FakeGateway() {
  state_->stop->fulfill();
  thread_.join();
  unlink(path_.c_str());
  unlink(state_->direct_path.c_str());
}

FakeGateway::Seen FakeGateway::seen() const {
  std::lock_guard lock(state_->mutex);
  return state_->seen;
}

void FakeGateway::end_lease() {
  state_->end->fulfill();
}

}  // namespace penstock::testing
