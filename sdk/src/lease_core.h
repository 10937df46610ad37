#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "penstock/lease.h"
#include "schema/program/sharding.h"
#include "schema/wire/gateway.capnp.h"
#include "sdk/src/client_core.h"
#include "sdk/src/lane_wire.h"

namespace penstock::detail {

/// What a Lease and its trainers and executables share: the capability, its renewal, and the way to
/// the leader.
/// Threads: any but the loop's, except as noted
class LeaseCore final {
 public:
  static Result<std::shared_ptr<LeaseCore>> open(std::shared_ptr<ClientCore> client,
                                                 const LeaseOptions& options);
  LeaseCore(const LeaseCore&) = delete;
  LeaseCore& operator=(const LeaseCore&) = delete;
  /// Releases the lease, if that has not been done.
  ~LeaseCore();

  LoopThread& thread() { return client_->thread(); }
  const LeaseInfo& info() const { return info_; }

  struct OpenedLane {
    std::unique_ptr<LaneWire> wire;
    Nanoseconds round_trip{};
  };
  /// Compiles a program on the leader.
  Result<OpenedLane> open_lane(const program::Program& program, const program::Plan& plan,
                               Nanoseconds deadline);
  /// Ends the lane after what was posted for it has run, and resets the pointer.
  void close_lane(std::unique_ptr<LaneWire>& lane);

  Result<Bill> bill();
  Result<Bill> release();
  Result<LaneKind> lane_kind();

 private:
  struct Wire;
  explicit LeaseCore(std::shared_ptr<ClientCore> client);
  net::Task<OpenedLane> load(std::string program, std::string plan, bool trains);
  void watch();

  const std::shared_ptr<ClientCore> client_;
  LeaseInfo info_;
  std::unique_ptr<Wire> wire_;  // the loop's
};

}  // namespace penstock::detail
