#include "gateway/edge/lease_service.h"

#include <kj/debug.h>

#include <string>
#include <utility>

#include "base/net/coroutine.h"
#include "base/net/rpc_error.h"
#include "gateway/edge/bill.h"
#include "gateway/edge/shell.h"
#include "schema/wire/convert.h"
#include "schema/wire/ticket.h"

namespace penstock::gateway {
namespace {

constexpr Nanoseconds kTicketLife = 60s;
constexpr Nanoseconds kSettleDeadline = 2s;

std::string place(const LeaseRun& run) {
  return "lease " + std::to_string(run.lease.id.value);
}

class LeaseService final : public wire::Lease::Server {
 public:
  LeaseService(Shell& shell, kj::Own<LeaseRun> run) : shell_(shell), run_(kj::mv(run)) {}

  ~LeaseService() noexcept(false) {
    if (!released_ && !run_->over)
      static_cast<void>(shell_.apply(ClientLost{run_->lease.id, run_->lease.epoch}));
  }

  kj::Promise<void> info(InfoContext context) override {
    require_live();
    fill_lease_info(context.getResults().initInfo(), shell_, *run_);
    return kj::READY_NOW;
  }

  kj::Promise<void> leader(LeaderContext context) override {
    require_live();
    KJ_IF_MAYBE (leader, run_->leader) {
      context.getResults().setLeader(*leader);
    } else {
      net::throw_error({ErrorCode::unavailable, place(*run_) + ": its workers are not up yet"});
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> renew(RenewContext context) override {
    require_live();
    net::or_throw(shell_.apply(RenewLease{run_->lease.id, run_->lease.epoch}));
    context.getResults().setExpiresUnixNs(run_->lease.expires_at.ns);
    return kj::READY_NOW;
  }

  kj::Promise<void> bill(BillContext context) override {
    // A leader that does not answer has nothing to add: the bill is what is known.
    return settled().catch_([](kj::Exception&&) {}).then([this, context]() mutable {
      fill_bill(context.getResults().initBill(), shell_.control().meter(), run_->lease.id);
    });
  }

  kj::Promise<void> release(ReleaseContext context) override {
    released_ = true;
    if (!run_->over) net::or_throw(shell_.apply(ReleaseLease{run_->lease.id, run_->lease.epoch}));
    // The last usage comes while the workers stop; without their word the bill is what is known.
    auto closed = net::with_deadline(*shell_.parts().timer, shell_.parts().call_deadline,
                                     run_->when_closed(), "lease.release");
    return closed.catch_([](kj::Exception&&) {}).then([this, context]() mutable {
      fill_bill(context.getResults().initBill(), shell_.control().meter(), run_->lease.id);
    });
  }

  kj::Promise<void> ended(EndedContext context) override {
    context.allowCancellation();
    return run_->when_ended().then([run = kj::addRef(*run_), context]() mutable {
      const std::string code(name(run->end.code));
      context.getResults().setCode(wire::to_kj(code));
      context.getResults().setReason(wire::to_kj(run->end.message));
    });
  }

 private:
  kj::Promise<void> settled() {
    KJ_IF_MAYBE (leader, run_->leader) {
      return net::with_deadline(*shell_.parts().timer, kSettleDeadline,
                                leader->settleRequest().send().ignoreResult(), "leader.settle");
    }
    return kj::READY_NOW;
  }

  void require_live() const {
    if (run_->over) net::throw_error(Error(run_->end).in(place(*run_)));
  }

  Shell& shell_;
  kj::Own<LeaseRun> run_;
  bool released_ = false;
};

void fill_device(wire::LeasedDevice::Builder out, const Pool& pool, const DeviceId& device) {
  const PooledExecutor* executor = pool.find(device.executor);
  out.setIndex(device.index);
  if (executor == nullptr) return;
  const DeviceSpec& spec = executor->devices.at(device.index).spec;
  out.setExecutor(wire::to_kj(executor->name));
  out.setClass(wire::to_kj(spec.device_class));
  out.setMemoryBytes(spec.memory_bytes);
  out.setThreads(spec.threads);
}

}  // namespace

wire::Lease::Client make_lease_service(Shell& shell, kj::Own<LeaseRun> run) {
  return kj::heap<LeaseService>(shell, kj::mv(run));
}

void fill_lease_info(wire::LeaseInfo::Builder out, Shell& shell, const LeaseRun& run) {
  out.setLease(run.lease.id.value);
  out.setEpoch(run.lease.epoch.value);
  auto devices = out.initDevices(static_cast<unsigned>(run.lease.devices.size()));
  for (unsigned i = 0; i < run.lease.devices.size(); ++i)
    fill_device(devices[i], shell.control().pool(), run.lease.devices[i]);
  out.setExpiresUnixNs(run.lease.expires_at.ns);
  auto price = out.initPrice();
  price.setPerDeviceSecondNanos(run.lease.price.nanos_per_device_second);
  price.setPerGibInNanos(run.lease.price.nanos_per_gib_in);
  price.setPerGibOutNanos(run.lease.price.nanos_per_gib_out);
  price.setCurrency("USD");
  auto direct = out.initDirect();
  auto addresses = direct.initAddresses(static_cast<unsigned>(run.addresses.size()));
  for (unsigned i = 0; i < run.addresses.size(); ++i)
    addresses.set(i, wire::to_kj(run.addresses[i]));
  direct.setLeaderFingerprint(wire::to_kj(run.leader_fingerprint));
  wire::TicketClaims claims;
  claims.lease = run.lease.id;
  claims.epoch = run.lease.epoch;
  claims.executor = run.lease.devices.front().executor;
  claims.rank = 0;
  claims.expires_at = shell.now() + kTicketLife;
  claims.client_fingerprint = run.client_fingerprint;
  const std::string ticket = net::or_throw(wire::sign_ticket(claims, *shell.parts().ticket_key));
  direct.setTicket(kj::arrayPtr(reinterpret_cast<const kj::byte*>(ticket.data()), ticket.size()));
}

}  // namespace penstock::gateway
