#include "sdk/src/lease_core.h"

#include <algorithm>

#include "base/clock.h"
#include "schema/program/text.h"
#include "schema/wire/convert.h"
#include "sdk/src/leader_choice.h"
#include "sdk/src/wire_values.h"

namespace penstock::detail {
namespace {

constexpr Nanoseconds kShortCall = 30s;
constexpr Nanoseconds kReleasePatience = 5s;

class DropErrors final : public kj::TaskSet::ErrorHandler {
 public:
  void taskFailed(kj::Exception&&) override {}  // the tasks here have nobody to tell
};

/// Renews the lease well before it expires, for as long as the promise is kept.
net::Task<void> keep_renewing(kj::Timer& timer, wire::Lease::Client lease,
                              std::int64_t expires_unix_ns) {
  while (true) {
    const Nanoseconds left(expires_unix_ns - WallClock().now().ns);
    co_await timer.afterDelay(net::to_duration(std::clamp<Nanoseconds>(left / 3, 500ms, 30s)));
    auto request = net::settle(lease.renewRequest().send().then(
        [](auto&& response) { return response.getExpiresUnixNs(); }));
    Result<std::int64_t> renewed = co_await request;
    if (renewed.ok()) expires_unix_ns = *renewed;
    // Otherwise the next round tries again; `ended` tells when it is too late.
  }
}

}  // namespace

struct LeaseCore::Wire {
  Wire(wire::Lease::Client granted, net::EventLoop& loop, DirectDoorInfo direct,
       const net::Identity& identity, const LeaseOptions& options)
      : lease(granted),
        choice(
            kj::Promise<LeaderChoice>(
                choose_leader(loop, granted, std::move(direct), identity, options.lane))
                .then([](LeaderChoice&& chosen) { return kj::refcounted<Chosen>(kj::mv(chosen)); })
                .fork()) {}

  /// What many lanes wait for.
  struct Chosen final : kj::Refcounted {
    explicit Chosen(LeaderChoice&& c) : choice(kj::mv(c)) {}
    LeaderChoice choice;
    kj::Own<Chosen> addRef() { return kj::addRef(*this); }
  };

  wire::Lease::Client lease;
  kj::ForkedPromise<kj::Own<Chosen>> choice;
  std::set<LaneWire*> lanes;
  std::uint64_t last_lane = 0;
  std::optional<Error> ended;
  DropErrors drop_errors;
  kj::TaskSet tasks{drop_errors};  // last: its promises refer to the others
};

LeaseCore::LeaseCore(std::shared_ptr<ClientCore> client) : client_(std::move(client)) {}

Result<std::shared_ptr<LeaseCore>> LeaseCore::open(std::shared_ptr<ClientCore> client,
                                                   const LeaseOptions& options) {
  std::shared_ptr<LeaseCore> core(new LeaseCore(std::move(client)));
  const std::string what = "lease of " + std::to_string(options.devices) + " devices";
  auto granted = core->thread().call(what, options.max_wait + kShortCall, [&core, options]() {
    auto call = core->client_->session().leaseRequest();
    auto request = call.initRequest();
    request.setDevices(options.devices);
    request.setDeviceClass(wire::to_kj(options.device_class));
    request.setMemoryBytes(options.memory_bytes);
    request.setMaxWaitNs(options.max_wait.count());
    request.setReconnectGraceNs(options.reconnect_grace.count());
    request.setClientFingerprint(wire::to_kj(core->client_->identity().fingerprint));
    return call.send().then([core = core.get(), options](auto&& response) {
      core->wire_ = std::make_unique<Wire>(response.getLease(), core->thread().loop(),
                                           read_direct(response.getInfo().getDirect()),
                                           core->client_->identity(), options);
      core->watch();
      core->info_ = read_lease_info(response.getInfo());
      core->wire_->tasks.add(keep_renewing(core->thread().loop().timer(), core->wire_->lease,
                                           core->info_.expires_unix_ns));
    });
  });
  if (!granted.ok()) return std::move(granted).error().in(what);
  return core;
}

void LeaseCore::watch() {
  auto ended = net::settle(wire_->lease.endedRequest().send().then([](auto&& response) {
    return std::make_pair(wire::to_string(response.getCode()),
                          wire::to_string(response.getReason()));
  }));
  wire_->tasks.add(ended.then([this](Result<std::pair<std::string, std::string>>&& end) {
    Error error{ErrorCode::unavailable, "the lease has ended"};
    if (end.ok()) {
      error.code = parse_error_code(end->first).value_or(ErrorCode::unavailable);
      error.message += ": " + end->second;
    } else if (end.error().code == ErrorCode::unimplemented) {
      return;  // a gateway that does not tell
    } else {
      error.message += ": " + end.error().message;
    }
    if (wire_ == nullptr) return;  // it is we who release it
    wire_->ended = error;
    for (LaneWire* lane : wire_->lanes) lane->fail(error);
  }));
}

net::Task<LeaseCore::OpenedLane> LeaseCore::load(std::string program, std::string plan,
                                                 bool trains) {
  if (wire_->ended) net::throw_error(*wire_->ended);
  const std::uint64_t lane = ++wire_->last_lane;
  auto branch = wire_->choice.addBranch();
  auto chosen = co_await branch;
  wire::Leader::Client leader = chosen->choice.leader;
  const auto text = [](const std::string& from) {
    return kj::arrayPtr(reinterpret_cast<const kj::byte*>(from.data()), from.size());
  };
  const MonotonicClock clock;
  const Instant asked = clock.now();
  auto ping = leader.pingRequest().send().ignoreResult();
  co_await ping;
  OpenedLane opened;
  opened.round_trip = clock.now() - asked;
  if (trains) {
    auto request = leader.trainRequest();
    request.setLane(lane);
    request.setProgram(text(program));
    request.setPlan(text(plan));
    auto reply = request.send();
    auto response = co_await reply;
    opened.wire = std::make_unique<LaneWire>(response.getTrainer());
  } else {
    auto request = leader.loadRequest();
    request.setLane(lane);
    request.setProgram(text(program));
    request.setPlan(text(plan));
    auto reply = request.send();
    auto response = co_await reply;
    opened.wire = std::make_unique<LaneWire>(response.getExecutable());
  }
  if (wire_ == nullptr)
    net::throw_error({ErrorCode::cancelled, "the lease was released meanwhile"});
  wire_->lanes.insert(opened.wire.get());
  co_return std::move(opened);
}

Result<LeaseCore::OpenedLane> LeaseCore::open_lane(const program::Program& program,
                                                   const program::Plan& plan,
                                                   Nanoseconds deadline) {
  const bool trains = program.training.has_value();
  return thread().call(
      trains ? "train" : "load", deadline,
      [this, program = program::print(program), plan = program::print(plan),
       trains]() -> kj::Promise<OpenedLane> {
        if (wire_ == nullptr)
          return net::to_exception({ErrorCode::failed_precondition, "the lease has been released"});
        return load(program, plan, trains);
      });
}

void LeaseCore::close_lane(std::unique_ptr<LaneWire>& lane) {
  const auto closed = thread().call("close of a lane", kShortCall, [this, &lane]() {
    if (wire_ != nullptr) wire_->lanes.erase(lane.get());
    lane = nullptr;
  });
  PENSTOCK_CHECK(closed.ok(), "the client's thread is stuck");
}

Result<Bill> LeaseCore::bill() {
  return thread().call("bill", kShortCall, [this]() -> kj::Promise<Bill> {
    if (wire_ == nullptr)
      return net::to_exception({ErrorCode::failed_precondition, "the lease has been released"});
    return wire_->lease.billRequest().send().then(
        [](auto&& response) { return read_bill(response.getBill()); });
  });
}

Result<Bill> LeaseCore::release() {
  return thread().call("release of the lease", kReleasePatience, [this]() -> kj::Promise<Bill> {
    if (wire_ == nullptr)
      return net::to_exception({ErrorCode::failed_precondition, "the lease has been released"});
    const Error gone{ErrorCode::cancelled, "the lease has been released by its owner"};
    for (LaneWire* lane : wire_->lanes) lane->fail(gone);
    auto wire = std::move(wire_);
    auto request = wire->lease.releaseRequest().send();
    return request.then([](auto&& response) { return read_bill(response.getBill()); })
        .attach(kj::heap<std::unique_ptr<Wire>>(std::move(wire)));
  });
}

Result<LaneKind> LeaseCore::lane_kind() {
  return thread().call("choice of the lane", kShortCall, [this]() -> kj::Promise<LaneKind> {
    if (wire_ == nullptr)
      return net::to_exception({ErrorCode::failed_precondition, "the lease has been released"});
    return wire_->choice.addBranch().then(
        [](kj::Own<Wire::Chosen>&& chosen) { return chosen->choice.kind; });
  });
}

LeaseCore::~LeaseCore() {
  static_cast<void>(release());  // a lease that cannot be released expires
  const auto closed =
      thread().call("close of the lease", kShortCall, [this]() { wire_ = nullptr; });
  static_cast<void>(closed);
}

}  // namespace penstock::detail
