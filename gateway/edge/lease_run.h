#pragma once

#include <kj/async.h>
#include <kj/debug.h>

#include <map>
#include <string>
#include <vector>

#include "gateway/lease/action.h"
#include "gateway/lease/lease.h"
#include "schema/wire/lane.capnp.h"

namespace penstock::gateway {

/// What the shell holds of a lease beside the control plane's record: capabilities, addresses and
/// who waits for it. Shared by the services that speak of the lease; dies with the last of them.
struct LeaseRun : public kj::Refcounted {
  Lease lease;
  std::string client_fingerprint;  // of the certificate that tickets are made for
  std::map<ExecutorId, std::vector<RankPlacement>> placements;

  // Set when the workers are up.
  kj::Maybe<wire::Leader::Client> leader;
  std::vector<std::string> addresses;
  std::string leader_fingerprint;

  bool active = false;
  bool over = false;
  Error end;  // why it is over
  Money billed;

  kj::Own<kj::PromiseFulfiller<void>> ready_fulfiller;
  kj::Maybe<kj::ForkedPromise<void>> ready;  // breaks with `end` if it is over before
  kj::Own<kj::PromiseFulfiller<void>> ended_fulfiller;
  kj::Maybe<kj::ForkedPromise<void>> ended;
  kj::Own<kj::PromiseFulfiller<void>> closed_fulfiller;
  kj::Maybe<kj::ForkedPromise<void>> closed;  // its processes are gone: the bill is final

  LeaseRun() {
    auto ready_pair = kj::newPromiseAndFulfiller<void>();
    ready_fulfiller = kj::mv(ready_pair.fulfiller);
    ready = ready_pair.promise.fork();
    auto ended_pair = kj::newPromiseAndFulfiller<void>();
    ended_fulfiller = kj::mv(ended_pair.fulfiller);
    ended = ended_pair.promise.fork();
    auto closed_pair = kj::newPromiseAndFulfiller<void>();
    closed_fulfiller = kj::mv(closed_pair.fulfiller);
    closed = closed_pair.promise.fork();
  }
  kj::Promise<void> when_ready() { return KJ_ASSERT_NONNULL(ready).addBranch(); }
  kj::Promise<void> when_ended() { return KJ_ASSERT_NONNULL(ended).addBranch(); }
  kj::Promise<void> when_closed() { return KJ_ASSERT_NONNULL(closed).addBranch(); }
};

}  // namespace penstock::gateway
