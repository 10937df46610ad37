#include "executor/agent/agent_server.h"

#include <utility>

namespace penstock::executor {

kj::Promise<void> AgentServer::prepare(PrepareContext context) {
  const auto params = context.getParams();
  std::vector<std::uint32_t> devices;
  for (const auto device : params.getDevices()) devices.push_back(device);
  kj::Promise<std::vector<wire::Worker::Client>> prepared =
      pool_.prepare(LeaseId{params.getLease()}, Epoch{params.getEpoch()}, std::move(devices));
  return prepared.then([context](std::vector<wire::Worker::Client>&& workers) mutable {
    auto out = context.getResults().initWorkers(static_cast<unsigned>(workers.size()));
    for (unsigned i = 0; i < out.size(); ++i) out.set(i, kj::mv(workers[i]));
  });
}

kj::Promise<void> AgentServer::stop(StopContext context) {
  const auto params = context.getParams();
  return pool_.stop(LeaseId{params.getLease()}, Epoch{params.getEpoch()});
}

}  // namespace penstock::executor
