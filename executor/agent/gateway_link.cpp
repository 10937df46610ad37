#include "executor/agent/gateway_link.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "executor/agent/agent_server.h"
#include "schema/wire/convert.h"
#include "schema/wire/version.h"

namespace penstock::executor {
namespace {

/// A heartbeat that is not answered for so many periods means that the gateway is gone.
constexpr int kMissedPeriods = 3;
constexpr Nanoseconds kPeriodMin = 10ms;
constexpr Nanoseconds kPeriodMax = 60s;
constexpr Nanoseconds kRegisterDeadline = 10s;

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

Result<std::unique_ptr<net::TlsContext>> make_tls(const AgentOptions& options) {
  if (options.gateway.is_unix()) return std::unique_ptr<net::TlsContext>();
  if (options.gateway.fingerprint.empty())
    return invalid("--gateway " + options.gateway.url() +
                   ": the URL needs the gateway's fingerprint (penstock://HOST:PORT?fingerprint="
                   "...); `penstock up` prints it");
  net::TlsOptions tls;
  PENSTOCK_ASSIGN(tls.identity, net::load_or_make_identity("penstock agent " + options.name,
                                                           options.state_directory + "/agent.crt",
                                                           options.state_directory + "/agent.key"));
  tls.pins = {options.gateway.fingerprint};
  return net::TlsContext::create(std::move(tls));
}

}  // namespace

bool is_final(const Error& error) {
  switch (error.code) {
    case ErrorCode::unauthenticated:
    case ErrorCode::permission_denied:
    case ErrorCode::failed_precondition:
    case ErrorCode::invalid_argument:
      return true;
    default:
      return false;
  }
}

Result<std::unique_ptr<GatewayLink>> GatewayLink::create(Parts parts) {
  PENSTOCK_ASSIGN(auto tls, make_tls(*parts.options));
  return std::unique_ptr<GatewayLink>(new GatewayLink(parts, std::move(tls)));
}

GatewayLink::GatewayLink(Parts parts, std::unique_ptr<net::TlsContext> tls)
    : parts_(parts), tls_(std::move(tls)), registered_(nullptr) {
  auto pair = kj::newPromiseAndFulfiller<void>();
  tell_registered_ = kj::mv(pair.fulfiller);
  registered_ = pair.promise.fork();
}

void GatewayLink::describe(wire::ExecutorDescription::Builder out) const {
  const AgentOptions& options = *parts_.options;
  out.setName(wire::to_kj(options.name));
  out.setHost(host_name().c_str());
  auto devices = out.initDevices(options.devices);
  for (std::uint32_t i = 0; i < options.devices; ++i) {
    devices[i].setIndex(i);
    devices[i].setClass(wire::to_kj(options.backend));
    devices[i].setMemoryBytes(options.memory_bytes);
    devices[i].setThreads(options.threads);
  }
}

void GatewayLink::worker_lost(const LostWorker& lost) {
  KJ_IF_MAYBE (registration, registration_) {
    auto request = registration->workerLostRequest();
    request.setLease(lost.lease.value);
    request.setEpoch(lost.epoch.value);
    request.setRank(lost.rank);
    request.setReason(wire::to_kj(lost.reason));
    // If the gateway is gone, the lease ends with the registration anyway.
    request.send().ignoreResult().detach([](kj::Exception&&) {});
  }
}

net::Task<Status> GatewayLink::heartbeats(wire::Registration::Client registration) {
  Nanoseconds period = kPeriodMax;
  for (std::uint64_t sequence = 1;; ++sequence) {
    auto request = registration.heartbeatRequest();
    request.setSequence(sequence);
    const Nanoseconds patience = std::max<Nanoseconds>(kMissedPeriods * period, 1s);
    std::string what = "the gateway's answer to a heartbeat";
    auto answer = net::settle(net::with_deadline(
        parts_.loop->timer(), patience,
        request.send().then([](capnp::Response<wire::Registration::HeartbeatResults>&& response) {
          return Nanoseconds(response.getPeriodNs());
        }),
        std::move(what)));
    const Result<Nanoseconds> told = co_await answer;
    if (!told.ok()) co_return Status(told.error());
    period = std::clamp(*told, kPeriodMin, kPeriodMax);
    auto pause = parts_.loop->timer().afterDelay(net::to_duration(period));
    co_await pause;
  }
}

/// One connection to the gateway, from dialling to its end.
net::Task<Status> GatewayLink::serve_once() {
  net::RpcClientOptions client;
  client.tls = tls_.get();
  auto dialled =
      net::settle(net::RpcConnection::connect(*parts_.loop, parts_.options->gateway, client));
  auto connected = co_await dialled;
  if (!connected.ok()) co_return Status(connected.error());
  kj::Own<net::RpcConnection> connection = std::move(connected).value();
  auto gateway = connection->bootstrap().castAs<wire::Gateway>();
  auto request = gateway.registerRequest();
  request.setToken(wire::to_kj(parts_.options->token));
  wire::set_own_version(request.initVersion());
  describe(request.initDescription());
  request.setAgent(kj::heap<AgentServer>(*parts_.pool));
  std::string what = "registration with the gateway";
  auto answer = net::settle(net::with_deadline(
      parts_.loop->timer(), kRegisterDeadline,
      request.send().then([](capnp::Response<wire::Gateway::RegisterResults>&& response) {
        return response.getRegistration();
      }),
      std::move(what)));
  auto registration = co_await answer;
  if (!registration.ok()) co_return Status(registration.error());
  registration_ = *registration;
  delay_ = 0ns;
  parts_.log->info("agent", "registered with the gateway as " + parts_.options->name);
  tell_registered_->fulfill();
  auto lost = connection->on_disconnect().then([]() {
    return Status(Error{ErrorCode::unavailable, "the gateway closed the connection"});
  });
  auto ended = heartbeats(kj::mv(*registration)).promise().exclusiveJoin(kj::mv(lost));
  Status status = co_await ended;
  registration_ = nullptr;
  co_return status;
}

Nanoseconds GatewayLink::next_delay() {
  const AgentOptions& options = *parts_.options;
  delay_ = std::clamp(2 * delay_, options.redial_after_min, options.redial_after_max);
  // Half of it is random, so that many hosts do not come back in step.
  const auto half = delay_.count() / 2;
  return Nanoseconds(
      half + static_cast<std::int64_t>(parts_.random->below(static_cast<std::uint64_t>(half) + 1)));
}

net::Task<Error> GatewayLink::run() {
  for (;;) {
    auto serving = net::settle(serve_once().promise());
    const auto served = co_await serving;
    registration_ = nullptr;
    Error error = served.ok() ? served->error() : served.error();
    auto stopping = parts_.pool->stop_all_leases().promise();
    co_await stopping;
    if (is_final(error)) co_return std::move(error).in("the gateway refuses this host");
    const Nanoseconds delay = next_delay();
    parts_.log->warning("agent", error.message + "; dialling again in " + format_duration(delay));
    auto pause = parts_.loop->timer().afterDelay(net::to_duration(delay));
    co_await pause;
  }
}

}  // namespace penstock::executor
