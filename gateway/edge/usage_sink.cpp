#include "gateway/edge/usage_sink.h"

#include <string>

#include "base/net/rpc_error.h"
#include "gateway/edge/shell.h"

namespace penstock::gateway {
namespace {

class UsageSink final : public wire::UsageSink::Server {
 public:
  UsageSink(Shell& shell, LeaseId lease, Epoch epoch)
      : shell_(shell), lease_(lease), epoch_(epoch) {}

  kj::Promise<void> report(ReportContext context) override {
    const auto params = context.getParams();
    if (LeaseId{params.getLease()} != lease_ || Epoch{params.getEpoch()} != epoch_)
      net::throw_error({ErrorCode::permission_denied,
                        "usage report: lease " + std::to_string(params.getLease()) + " epoch " +
                            std::to_string(params.getEpoch()) + ", but this sink is lease " +
                            std::to_string(lease_.value) + " epoch " +
                            std::to_string(epoch_.value)});
    const auto in = params.getUsage();
    const Usage usage{in.getDeviceNs(), in.getBytesIn(), in.getBytesOut(), in.getSteps()};
    return shell_.apply_durably(ReportUsage{lease_, epoch_, params.getSequence(), usage})
        .ignoreResult();
  }

 private:
  Shell& shell_;
  const LeaseId lease_;
  const Epoch epoch_;
};

}  // namespace

wire::UsageSink::Client make_usage_sink(Shell& shell, LeaseId lease, Epoch epoch) {
  return kj::heap<UsageSink>(shell, lease, epoch);
}

}  // namespace penstock::gateway
