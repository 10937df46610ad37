#include "tests/unit/agent/pool_fixture.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "executor/compiler/pipeline.h"
#include "schema/program/text.h"

namespace penstock::executor::test {
namespace {

class FakeRegistration final : public wire::Registration::Server {
 public:
  explicit FakeRegistration(PoolFixture& fixture) : fixture_(fixture) {}
  kj::Promise<void> heartbeat(HeartbeatContext context) override {
    context.getResults().setPeriodNs(200'000'000);
    return kj::READY_NOW;
  }
  kj::Promise<void> workerLost(WorkerLostContext context) override {
    const auto params = context.getParams();
    fixture_.losses.push_back({params.getLease(), params.getRank(), params.getReason().cStr()});
    return kj::READY_NOW;
  }

 private:
  PoolFixture& fixture_;
};

class FakeGateway final : public wire::Gateway::Server {
 public:
  explicit FakeGateway(PoolFixture& fixture) : fixture_(fixture) {}
  kj::Promise<void> register_(RegisterContext context) override {
    const auto params = context.getParams();
    if (params.getToken() != "join")
      net::throw_error({ErrorCode::unauthenticated, "the join token is not known"});
    context.getResults().setRegistration(kj::heap<FakeRegistration>(fixture_));
    fixture_.register_agent(params.getAgent());
    return kj::READY_NOW;
  }

 private:
  PoolFixture& fixture_;
};

class FakeUsageSink final : public wire::UsageSink::Server {
 public:
  explicit FakeUsageSink(SeenUsage& seen) : seen_(seen) {}
  kj::Promise<void> report(ReportContext context) override {
    const auto params = context.getParams();
    if (params.getSequence() <= seen_.last_sequence) return kj::READY_NOW;
    seen_.last_sequence = params.getSequence();
    seen_.device_ns += params.getUsage().getDeviceNs();
    seen_.steps += params.getUsage().getSteps();
    return kj::READY_NOW;
  }

 private:
  SeenUsage& seen_;
};

std::string read_line(net::EventLoop& loop, int fd) {
  auto stream = loop.low_level().wrapInputFd(fd, kj::LowLevelAsyncIoProvider::TAKE_OWNERSHIP);
  char text[512] = {};
  const auto size = net::wait_result(
      net::with_deadline(loop.timer(), 30s, stream->tryRead(text, 1, sizeof text - 1),
                         "the agent's ready line"),
      loop.wait_scope());
  REQUIRE_MESSAGE(size.ok(), size.error().message);
  return {text, *size};
}

}  // namespace

PoolFixture::PoolFixture(const PoolOptions& options) {
  auto made = net::EventLoop::create();
  REQUIRE(made.ok());
  loop = std::move(made).value();
  auto registration = listen();
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  net::ChildOptions child;
  child.arguments = {PENSTOCK_TEST_BIN "/penstock-agent",
                     "--gateway",
                     "unix:" + directory.path("gateway.sock"),
                     "--token",
                     "join",
                     "--name",
                     "host-a",
                     "--devices",
                     options.devices,
                     "--memory",
                     options.memory,
                     "--state",
                     directory.path("state"),
                     "--listen",
                     "127.0.0.1",
                     "--parent",
                     std::to_string(::getpid()),
                     "--ready-fd",
                     "3"};
  child.arguments.insert(child.arguments.end(), options.more.begin(), options.more.end());
  child.descriptors.push_back({.ours = ends[1], .childs = 3});
  auto spawned = net::ChildProcess::spawn(*loop, child);
  ::close(ends[1]);
  REQUIRE_MESSAGE(spawned.ok(), spawned.error().message);
  agent_process = std::move(spawned).value();
  const auto registered = within(kj::mv(registration));
  REQUIRE_MESSAGE(registered.ok(), registered.error().message);
  ready_line = read_line(*loop, ends[0]);
}

/// Serves the gateway's socket; the promise is done at the next registration.
kj::Promise<void> PoolFixture::listen() {
  net::Address address;
  address.path = directory.path("gateway.sock");
  auto listener = within(net::listen(*loop, address));
  REQUIRE_MESSAGE(listener.ok(), listener.error().message);
  server_ = std::make_unique<net::RpcServer>(
      *loop, std::move(listener).value(),
      [this](const net::PeerInfo&) -> capnp::Capability::Client {
        return wire::Gateway::Client(kj::heap<FakeGateway>(*this));
      },
      net::RpcServerOptions{}, log);
  auto pair = kj::newPromiseAndFulfiller<void>();
  registered_ = kj::mv(pair.fulfiller);
  return kj::mv(pair.promise);
}

Status PoolFixture::restart_gateway() {
  agent_ = nullptr;
  server_.reset();
  return within(listen());
}

PoolFixture::~PoolFixture() {
  agent_ = nullptr;
  agent_process.reset();
}

void PoolFixture::register_agent(wire::Agent::Client agent) {
  agent_ = kj::mv(agent);
  registered_->fulfill();
}

net::Task<LeaseHandle> PoolFixture::make_lease(std::uint64_t number,
                                               std::vector<std::uint32_t> devices) {
  LeaseHandle handle;
  auto prepare = agent().prepareRequest();
  prepare.setLease(number);
  prepare.setEpoch(1);
  auto wanted = prepare.initDevices(static_cast<unsigned>(devices.size()));
  for (unsigned i = 0; i < devices.size(); ++i) wanted.set(i, devices[i]);
  auto preparing = prepare.send();
  auto prepared = co_await preparing;
  for (auto worker : prepared.getWorkers()) handle.workers.push_back(kj::mv(worker));
  std::vector<std::string> transport_addresses;
  for (unsigned rank = 0; rank < handle.workers.size(); ++rank) {
    auto assign = handle.workers[rank].assignRequest();
    auto assignment = assign.initAssignment();
    assignment.setLease(number);
    assignment.setEpoch(1);
    assignment.setRank(rank);
    assignment.setRanks(static_cast<std::uint32_t>(handle.workers.size()));
    assignment.setPricePerDeviceSecondNanos(1'000'000'000);
    const auto key = ticket_key.public_key().bytes;
    assignment.setTicketKey(kj::arrayPtr(key.data(), key.size()));
    assignment.setLocal(true);
    assignment.setExecutor(1);
    if (rank == 0) assignment.setUsage(kj::heap<FakeUsageSink>(usage));
    auto assigning = assign.send();
    auto assigned = co_await assigning;
    const auto bytes = assigned.getTransportAddress();
    transport_addresses.emplace_back(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  }
  auto connecting = kj::heapArrayBuilder<kj::Promise<void>>(handle.workers.size());
  for (auto& worker : handle.workers) {
    auto connect = worker.connectRequest();
    auto out = connect.initTransportAddresses(static_cast<unsigned>(transport_addresses.size()));
    for (unsigned i = 0; i < out.size(); ++i)
      out.set(i, kj::arrayPtr(reinterpret_cast<const kj::byte*>(transport_addresses[i].data()),
                              transport_addresses[i].size()));
    connecting.add(connect.send().ignoreResult());
  }
  auto all = kj::joinPromises(connecting.finish());
  co_await all;
  auto serving = handle.workers[0].serveRequest().send();
  auto served = co_await serving;
  handle.leader = served.getLeader();
  handle.fingerprint = served.getFingerprint().cStr();
  for (const auto address : served.getAddresses()) handle.addresses.push_back(address.cStr());
  co_return handle;
}

Result<LeaseHandle> PoolFixture::lease(std::uint64_t number, std::vector<std::uint32_t> devices) {
  return within(make_lease(number, std::move(devices)).promise());
}

Status PoolFixture::stop(std::uint64_t number, std::uint64_t epoch) {
  auto request = agent().stopRequest();
  request.setLease(number);
  request.setEpoch(epoch);
  return within(request.send().ignoreResult());
}

std::vector<int> PoolFixture::worker_pids() const {
  std::vector<std::pair<int, int>> found;  // device, pid
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    const std::size_t after_name = text.rfind(')');
    if (after_name == std::string::npos) continue;
    std::istringstream rest(text.substr(after_name + 2));
    char state = 0;
    int parent = 0;
    rest >> state >> parent;
    if (parent != agent_process->pid() || state == 'Z') continue;
    std::ifstream command(entry.path() / "cmdline");
    std::string arguments((std::istreambuf_iterator<char>(command)), {});
    const std::string option = std::string("--device") + '\0';
    const std::size_t at = arguments.find(option);
    if (at == std::string::npos) continue;
    found.emplace_back(std::atoi(arguments.c_str() + at + option.size()), pid);
  }
  std::sort(found.begin(), found.end());
  std::vector<int> pids;
  for (const auto& [device, pid] : found) pids.push_back(pid);
  return pids;
}

Tensor32 floats(std::string name, std::vector<std::int64_t> shape, const std::vector<float>& v) {
  Tensor32 tensor{std::move(name), "f32", std::move(shape), {}};
  for (const float x : v) tensor.bits.push_back(std::bit_cast<std::uint32_t>(x));
  return tensor;
}

Tensor32 integers(std::string name, std::vector<std::int64_t> shape,
                  const std::vector<std::int32_t>& v) {
  Tensor32 tensor{std::move(name), "i32", std::move(shape), {}};
  for (const std::int32_t x : v) tensor.bits.push_back(static_cast<std::uint32_t>(x));
  return tensor;
}

void set_batch(wire::Batch::Builder out, std::int64_t size, const std::vector<Tensor32>& inputs) {
  out.setSize(size);
  auto tensors = out.initInputs(static_cast<unsigned>(inputs.size()));
  for (unsigned i = 0; i < tensors.size(); ++i) {
    const Tensor32& input = inputs[i];
    tensors[i].setName(input.name.c_str());
    tensors[i].setDtype(input.dtype.c_str());
    auto shape = tensors[i].initShape(static_cast<unsigned>(input.shape.size()));
    for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, input.shape[d]);
    tensors[i].setInline(
        kj::arrayPtr(reinterpret_cast<const kj::byte*>(input.bits.data()), input.bits.size() * 4));
  }
}

StepAnswer read_answer(wire::CallResult::Reader result) {
  StepAnswer answer;
  answer.step = result.getStep();
  answer.device_ns = result.getUsage().getDeviceNs();
  answer.price_nanos = result.getUsage().getPriceNanos();
  for (const auto output : result.getOutputs()) {
    if (output.getName() != "loss") continue;
    const auto bytes = output.getInline();
    REQUIRE(bytes.size() == 4);
    std::memcpy(&answer.loss, bytes.begin(), 4);
  }
  return answer;
}

kj::Promise<StepAnswer> step(wire::Trainer::Client trainer, std::uint64_t call, std::int64_t size,
                             const std::vector<Tensor32>& inputs) {
  auto request = trainer.stepRequest();
  request.initCall().setNumber(call);
  set_batch(request.initBatch(), size, inputs);
  return request.send().then([](capnp::Response<wire::Trainer::StepResults>&& response) {
    return read_answer(response.getResult());
  });
}

kj::Promise<std::vector<float>> read_variable(wire::Trainer::Client trainer, std::uint64_t call,
                                              const std::string& name) {
  auto request = trainer.readVariableRequest();
  request.initCall().setNumber(call);
  request.setName(name.c_str());
  return request.send().then([](capnp::Response<wire::Executable::ReadVariableResults>&& r) {
    const auto bytes = r.getTensor().getInline();
    std::vector<float> values(bytes.size() / 4);
    std::memcpy(values.data(), bytes.begin(), bytes.size());
    return values;
  });
}

kj::Promise<wire::Trainer::Client> train(wire::Leader::Client leader, std::uint64_t lane,
                                         const std::string& program, std::int64_t devices) {
  const auto parsed = program::parse(program);
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().message);
  const std::string plan = program::print(compiler::batch_plan(*parsed, devices, 1));
  auto request = leader.trainRequest();
  request.setLane(lane);
  request.setProgram(
      kj::arrayPtr(reinterpret_cast<const kj::byte*>(program.data()), program.size()));
  request.setPlan(kj::arrayPtr(reinterpret_cast<const kj::byte*>(plan.data()), plan.size()));
  return request.send().then(
      [](capnp::Response<wire::Leader::TrainResults>&& response) { return response.getTrainer(); });
}

}  // namespace penstock::executor::test
