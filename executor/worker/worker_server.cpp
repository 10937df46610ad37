#include "executor/worker/worker_server.h"

#include <utility>

#include "base/net/coroutine.h"
#include "base/net/rpc_error.h"
#include "executor/worker/follower.h"

namespace penstock::executor {
namespace {

constexpr std::uint64_t kPooledBytesMax = 256 * kMiB;
constexpr std::uint32_t kRanksMax = 4096;

/// A value that another thread gives to this loop.
template <class T>
struct Handover {
  explicit Handover(kj::Own<kj::CrossThreadPromiseFulfiller<T>> f) : fulfiller(kj::mv(f)) {}
  kj::Own<kj::CrossThreadPromiseFulfiller<T>> fulfiller;
};

}  // namespace

WorkerServer::WorkerServer(WorkerOptions options, Parts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      pool_(BufferPool::create(kPooledBytesMax)) {}

WorkerServer::~WorkerServer() noexcept(false) {
  // A broken mesh ends waits; the compute thread must be able to finish before its parts go.
  compute_.reset();
}

Status WorkerServer::expect(State state, const char* method) const {
  if (state_ == state) return {};
  const char* const names[] = {"idle", "assigned", "connected", "serving"};
  return Error{ErrorCode::failed_precondition,
               std::string("worker of device ") + std::to_string(options_.device) + ": " + method +
                   " needs a worker that is " + names[static_cast<int>(state)] +
                   ", and this one is " + names[static_cast<int>(state_)]};
}

Status WorkerServer::take(wire::Assignment::Reader assignment) {
  PENSTOCK_TRY(expect(State::idle, "assign"));
  identity_ = {LeaseId{assignment.getLease()}, Epoch{assignment.getEpoch()}, assignment.getRank(),
               assignment.getRanks()};
  if (identity_.ranks == 0 || identity_.ranks > kRanksMax || identity_.rank >= identity_.ranks)
    return invalid("assign: rank " + std::to_string(identity_.rank) + " of " +
                   std::to_string(identity_.ranks) + " ranks");
  prices_ = {assignment.getPricePerDeviceSecondNanos(), assignment.getPricePerGibInNanos(),
             assignment.getPricePerGibOutNanos()};
  if (identity_.rank == 0) {
    const auto key = assignment.getTicketKey();
    if (key.size() != ticket_key_.bytes.size())
      return invalid("assign: the ticket key has " + std::to_string(key.size()) +
                     " bytes; an Ed25519 public key has 32");
    std::copy(key.begin(), key.end(), ticket_key_.bytes.begin());
    executor_ = ExecutorId{assignment.getExecutor()};
    if (assignment.hasUsage()) sink_ = assignment.getUsage();
  }
  state_ = State::assigned;
  return {};
}

Status WorkerServer::open_trace() {
  // Only now: the idle worker that takes an ended one's place must leave its trace alone.
  if (options_.trace_path.empty()) return {};
  PENSTOCK_ASSIGN(trace_, TraceFile::create(options_.trace_path));
  trace_->set_rank(identity_.rank);
  return {};
}

void WorkerServer::make_programs() {
  communicate_ = std::make_unique<CommunicateThread>(CommunicateThread::Options{
      .clock = parts_.clock, .limits = options_.limits, .pool = pool_, .trace = trace_.get()});
  RankPrograms::Options options;
  options.rank = identity_.rank;
  options.ranks = identity_.ranks;
  options.place = "rank " + std::to_string(identity_.rank) + " (" + options_.backend.kind +
                  " device " + std::to_string(options_.device) + ")";
  options.memory_bytes = options_.memory_bytes;
  options.make_backend = parts_.make_backend;
  if (identity_.ranks > 1) options.collectives = &communicate_->collectives();
  options.clock = parts_.clock;
  options.pool = pool_;
  options.trace = trace_.get();
  programs_ = std::make_unique<RankPrograms>(std::move(options));
  compute_ = std::make_unique<ComputeThread>();
  if (identity_.rank == 0) make_leader();
}

void WorkerServer::make_leader() {
  ranks_ = std::make_unique<LeaseRanks>(LeaseRanks::Options{.ranks = identity_.ranks,
                                                            .limits = options_.limits,
                                                            .clock = parts_.clock,
                                                            .communicate = communicate_.get(),
                                                            .compute = compute_.get(),
                                                            .programs = programs_.get()},
                                        parts_.loop->timer());
  KJ_IF_MAYBE (sink, sink_) {
    usage_ = std::make_unique<UsageReporter>(
        UsageReporter::Options{.lease = identity_.lease, .epoch = identity_.epoch}, *sink,
        parts_.loop->timer(), *parts_.log);
  }
  LeaderParts leader;
  leader.ranks = ranks_.get();
  leader.clock = parts_.clock;
  leader.log = parts_.log;
  leader.pool = pool_;
  leader.limits = options_.limits;
  leader.prices = prices_;
  leader.report = [this](const wire::CallUsage& usage) {
    if (usage_) usage_->add(usage);
  };
  leader.settle = [this]() { return usage_ ? usage_->flush() : kj::Promise<void>(kj::READY_NOW); };
  leader_ = kj::heap<LeaderServer>(std::move(leader));
}

kj::Promise<void> WorkerServer::assign(AssignContext context) {
  net::or_throw(take(context.getParams().getAssignment()));
  net::or_throw(open_trace());
  make_programs();
  if (identity_.ranks == 1) return kj::READY_NOW;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Result<std::string>>();
  auto handover = std::make_shared<Handover<Result<std::string>>>(kj::mv(pair.fulfiller));
  communicate_->open(identity_, [handover](Result<std::string> address) {
    handover->fulfiller->fulfill(kj::mv(address));
  });
  return pair.promise.then([context](Result<std::string>&& opened) mutable {
    const std::string address = net::or_throw(std::move(opened));
    context.getResults().setTransportAddress(
        kj::arrayPtr(reinterpret_cast<const kj::byte*>(address.data()), address.size()));
  });
}

kj::Promise<void> WorkerServer::connect(ConnectContext context) {
  net::or_throw(expect(State::assigned, "connect"));
  std::vector<std::string> addresses;
  for (const auto address : context.getParams().getTransportAddresses())
    addresses.emplace_back(reinterpret_cast<const char*>(address.begin()), address.size());
  if (addresses.size() != identity_.ranks)
    net::throw_error(invalid("connect: " + std::to_string(addresses.size()) +
                             " transport addresses for " + std::to_string(identity_.ranks) +
                             " ranks"));
  state_ = State::connected;
  if (identity_.ranks == 1) return kj::READY_NOW;
  auto pair = kj::newPromiseAndCrossThreadFulfiller<Status>();
  auto handover = std::make_shared<Handover<Status>>(kj::mv(pair.fulfiller));
  auto handlers = identity_.rank == 0 ? ranks_->handlers()
                                      : follow_leader(*communicate_, *compute_, *programs_);
  communicate_->connect(std::move(addresses), std::move(handlers), [handover](Status status) {
    handover->fulfiller->fulfill(kj::mv(status));
  });
  return pair.promise.then([](Status&& connected) { net::or_throw(std::move(connected)); });
}

kj::Promise<void> WorkerServer::serve(ServeContext context) {
  net::or_throw(expect(State::connected, "serve"));
  KJ_IF_MAYBE (leader, leader_) {
    state_ = State::serving;
    DirectDoorOptions options{.lease = identity_.lease,
                              .epoch = identity_.epoch,
                              .executor = executor_,
                              .ticket_key = ticket_key_,
                              .listen_host = options_.listen_host,
                              .unix_directory = options_.unix_directory,
                              .wall_clock = parts_.wall_clock};
    return DirectDoor::open(*parts_.loop, std::move(options), *leader, *parts_.log)
        .then([this, context, leader = *leader](kj::Own<DirectDoor>&& door) mutable {
          auto results = context.getResults();
          results.setLeader(kj::mv(leader));
          results.setFingerprint(door->fingerprint().c_str());
          auto addresses = results.initAddresses(static_cast<unsigned>(door->addresses().size()));
          for (unsigned i = 0; i < addresses.size(); ++i)
            addresses.set(i, door->addresses()[i].c_str());
          door_ = kj::mv(door);
        });
  }
  net::throw_error(
      {ErrorCode::failed_precondition, "serve: rank " + std::to_string(identity_.rank) +
                                           " is not the leader of its lease; ask rank 0"});
}

kj::Promise<void> WorkerServer::stop() {
  door_ = nullptr;
  if (trace_) trace_->flush();
  return usage_ ? usage_->flush() : kj::Promise<void>(kj::READY_NOW);
}

}  // namespace penstock::executor
