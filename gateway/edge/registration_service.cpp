#include "gateway/edge/registration_service.h"

#include <kj/debug.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/net/rpc_error.h"
#include "gateway/edge/shell.h"
#include "schema/wire/convert.h"

namespace penstock::gateway {
namespace {

class RegistrationService final : public wire::Registration::Server {
 public:
  RegistrationService(Shell& shell, ExecutorId id) : shell_(shell), id_(id) {}

  ~RegistrationService() noexcept(false) {
    if (dropped_) return;
    shell_.unlink_executor(id_);
    static_cast<void>(shell_.apply(ExecutorLost{id_, "its connection to the gateway ended"}));
  }

  kj::Promise<void> heartbeat(HeartbeatContext context) override {
    require_member();
    net::or_throw(shell_.apply(Heartbeat{id_}));
    auto results = context.getResults();
    results.setPeriodNs(shell_.parts().heartbeat_period.count());
    const auto& key = shell_.parts().ticket_key->public_key().bytes;
    results.setTicketKey(kj::arrayPtr(key.data(), key.size()));
    return kj::READY_NOW;
  }

  kj::Promise<void> workerLost(WorkerLostContext context) override {
    require_member();
    const auto params = context.getParams();
    std::string reason = wire::to_string(params.getReason()).substr(0, 512);
    net::or_throw(shell_.apply(
        LeaseFailed{id_, LeaseId{params.getLease()}, Epoch{params.getEpoch()},
                    Error{ErrorCode::unavailable,
                          "rank " + std::to_string(params.getRank()) + ": " + reason}}));
    return kj::READY_NOW;
  }

  void drop(Error why) {
    dropped_ = true;
    why_ = std::move(why);
  }

 private:
  void require_member() const {
    if (dropped_) net::throw_error(Error(why_).in("executor out of the pool; register again"));
  }

  Shell& shell_;
  const ExecutorId id_;
  bool dropped_ = false;
  Error why_;
};

Result<DeviceSpec> read_device(wire::DeviceDescription::Reader in, std::uint32_t position) {
  if (in.getIndex() != position)
    return invalid("register: device " + std::to_string(position) + " has index " +
                   std::to_string(in.getIndex()) + "; they must count from 0");
  return DeviceSpec{wire::to_string(in.getClass()), in.getThreads(), in.getMemoryBytes()};
}

std::optional<ExecutorId> joined(const Actions& actions) {
  for (const Action& action : actions.list)
    if (const auto* executor = std::get_if<ExecutorJoined>(&action)) return executor->executor;
  return std::nullopt;
}

}  // namespace

wire::Registration::Client register_executor(Shell& shell, KeyId join_token,
                                             const std::string& fingerprint,
                                             wire::ExecutorDescription::Reader description,
                                             wire::Agent::Client agent) {
  RegisterExecutor command;
  command.name = wire::to_string(description.getName());
  command.fingerprint = fingerprint;
  command.join_token = join_token;
  for (const auto device : description.getDevices())
    command.devices.push_back(
        net::or_throw(read_device(device, static_cast<std::uint32_t>(command.devices.size()))));
  const Actions actions = net::or_throw(shell.apply(command));
  const auto id = joined(actions);
  KJ_REQUIRE(id.has_value(), "a registered executor must have joined");
  auto service = kj::heap<RegistrationService>(shell, *id);
  // The link outlives neither: the service unlinks itself when the connection drops it.
  RegistrationService* borrowed = service.get();
  shell.link_executor(*id, kj::mv(agent), [borrowed](Error why) { borrowed->drop(why); });
  shell.parts().log->info("gateway", "executor " + command.name + ": joined with " +
                                         std::to_string(command.devices.size()) + " device(s)");
  return kj::mv(service);
}

}  // namespace penstock::gateway
