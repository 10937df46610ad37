#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "penstock/attempt.h"
#include "penstock/executable.h"
#include "penstock/optimizer.h"
#include "penstock/program.h"
#include "penstock/report.h"
#include "penstock/trainer.h"

namespace penstock {

namespace detail {
class LeaseCore;
}

/// How a client talks to the leader of its lease.
enum class LaneKind {
  automatic,  // the direct lane where it answers within 2 s, else the relay
  direct,     // straight to the leader
  relay,      // through the gateway
};
std::string_view name(LaneKind kind);

struct LeaseOptions {
  unsigned devices = 1;
  std::string device_class = "cpu";     // as the pool's price table names them
  std::uint64_t memory_bytes = 0;       // least memory per device; 0: any
  Nanoseconds max_wait = 60s;           // how long the request may queue
  Nanoseconds reconnect_grace = 30s;    // how long the lease outlives a lost client
  LaneKind lane = LaneKind::automatic;  // or one that is insisted on
};

struct LeasedDevice {
  std::string executor;
  std::uint32_t index = 0;
  std::string device_class;  // "cpu"
  std::uint64_t memory_bytes = 0;
  std::uint32_t threads = 0;
};

struct Price {
  Money per_device_second;
  Money per_gib_in;
  Money per_gib_out;
  std::string currency;
};

struct LeaseInfo {
  std::uint64_t lease = 0;
  std::uint64_t epoch = 0;
  std::vector<LeasedDevice> devices;
  Price price;
  Nanoseconds queued{};
  std::int64_t expires_unix_ns = 0;
};

struct TrainOptions {
  Optimizer optimizer = AdamW{};
  std::map<std::string, Value> metrics = {};  // scalars computed beside the loss
  std::int64_t micro_batches = 1;             // each batch in as many parts, gradients summed
  /// No element of a gradient beyond this; then all gradients shrunk together until the root of
  /// their sum of squares is no more than that, and the norm before it is a metric,
  /// `gradient_norm`. 0: not.
  double clip_value = 0;
  double clip_norm = 0;
  Nanoseconds deadline = std::chrono::minutes(2);  // of compiling
};

struct LoadOptions {
  std::int64_t micro_batches = 1;
  Nanoseconds deadline = std::chrono::minutes(2);  // of compiling
};

/// The right to use a set of devices. It is renewed in the background, and released when the last
/// of it and its trainers and executables goes.
/// Errors: Exception; unavailable once the lease has ended, with the reason
/// Threads: any
class Lease {
 public:
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) noexcept;
  ~Lease();

  /// Compiles the program of `loss` for all devices of the lease, each taking its part of every
  /// batch, and sets the variables to their initial values.
  Trainer train(const Value& loss, TrainOptions options = {});
  /// The same without training: the entries that the program has.
  Executable load(const Program& program, LoadOptions options = {});

  /// The same without exceptions.
  Result<Trainer> try_train(const Value& loss, TrainOptions options = {}) {
    return attempt([&] { return train(loss, std::move(options)); });
  }
  Result<Executable> try_load(const Program& program, LoadOptions options = {}) {
    return attempt([&] { return load(program, options); });
  }

  const LeaseInfo& info() const;
  /// What was used up to now.
  Bill bill() const;
  /// Gives the devices back at once. Calls under way fail.
  Bill release();
  Result<Bill> try_bill() const {
    return attempt([&] { return bill(); });
  }
  Result<Bill> try_release() {
    return attempt([&] { return release(); });
  }
  /// Which lane is in use: direct or relay. Waits for the choice, at most 2 s from the grant.
  LaneKind lane_kind() const;

 private:
  friend class Client;
  explicit Lease(std::shared_ptr<detail::LeaseCore> core);
  std::shared_ptr<detail::LeaseCore> core_;  // shared with trainers and executables
};

}  // namespace penstock
