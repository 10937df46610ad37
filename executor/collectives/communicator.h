#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "executor/collectives/choose_algorithm.h"
#include "executor/collectives/reduce.h"
#include "executor/collectives/transport.h"

namespace penstock::collectives {

/// A collective in flight. Its buffers must live and stay untouched until it is done or destroyed;
/// destroying it earlier breaks the communicator on this rank.
class Operation {
 public:
  virtual ~Operation() = default;
  bool done() const { return done_; }
  /// What it ended with; success while it runs.
  const Status& status() const { return status_; }

 protected:
  Operation() = default;
  void finish(Status status) {
    done_ = true;
    status_ = std::move(status);
  }

 private:
  bool done_ = false;
  Status status_;
};

/// What every collective is told. All ranks start collectives with the same tags and sizes.
struct CollectiveOptions {
  /// Unique among the operations in flight; may be used again after the end of the first.
  std::uint32_t tag = 0;
  /// When to give up, on the communicator's clock.
  Instant deadline = {};
};

struct AllReduceOptions {
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;
  std::uint32_t tag = 0;
  Instant deadline = {};
};

struct RootedOptions {
  Rank root = 0;
  std::uint32_t tag = 0;
  Instant deadline = {};
};

/// The elements [first, first + count) of a buffer.
struct Segment {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Segment&) const = default;
};

/// Which part of `elements` belongs to `rank`: sizes differ by at most one, larger ones first.
/// Threads: pure
Segment segment_of(std::uint64_t elements, Rank rank, Rank ranks);

/// Collectives between the ranks of one lease. Several operations may be in flight; `progress`
/// advances them all. The first failure of any breaks the communicator: every operation in flight
/// and every later one ends with it.
/// Errors: of every call: invalid_argument for what is wrong on this rank alone; unavailable naming
///         the rank that failed; deadline_exceeded naming the rank that was waited for; data_loss
///         when a peer sent another size; already_exists for a tag in flight
/// Threads: one owner; `wake` from any
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  /// Combines all ranks' buffers in place. The result is bit for bit the same on every rank, and
  /// the same in every run with the same size and ranks.
  /// Shapes: [n] -> [n], `buffer` a multiple of the element size
  virtual Result<std::unique_ptr<Operation>> start_all_reduce(std::span<std::byte> buffer,
                                                              AllReduceOptions options) = 0;

  /// As all_reduce, but only this rank's segment (`segment_of`) is valid afterwards; the rest of
  /// the buffer was used as scratch.
  virtual Result<std::unique_ptr<Operation>> start_reduce_scatter(std::span<std::byte> buffer,
                                                                  AllReduceOptions options) = 0;

  /// `buffer` is rank after rank's block, of the sizes that all ranks know; this rank's own block
  /// is filled in before.
  virtual Result<std::unique_ptr<Operation>> start_all_gather(
      std::span<std::byte> buffer, std::vector<std::uint64_t> block_bytes,
      CollectiveOptions options) = 0;

  /// The root's bytes to everyone.
  virtual Result<std::unique_ptr<Operation>> start_broadcast(std::span<std::byte> buffer,
                                                             RootedOptions options) = 0;

  /// Every rank's `mine` to the root's `all`, rank after rank, of the sizes that all ranks know.
  /// `all` is read on the root only.
  virtual Result<std::unique_ptr<Operation>> start_gather(std::span<const std::byte> mine,
                                                          std::span<std::byte> all,
                                                          std::vector<std::uint64_t> block_bytes,
                                                          RootedOptions options) = 0;

  /// The reverse of gather. `all` is read on the root only.
  virtual Result<std::unique_ptr<Operation>> start_scatter(std::span<const std::byte> all,
                                                           std::span<std::byte> mine,
                                                           std::vector<std::uint64_t> block_bytes,
                                                           RootedOptions options) = 0;

  /// Done when every rank has started it.
  virtual Result<std::unique_ptr<Operation>> start_barrier(CollectiveOptions options) = 0;

  /// Advances every operation in flight as far as it goes without waiting. True when one has ended
  /// or moved.
  virtual bool progress() = 0;

  /// Sleeps until `progress` has something to do, `wake` is called, or the deadline passes.
  virtual void idle(Instant deadline) = 0;

  /// Ends the running `idle`, or the next one. Threads: any
  virtual void wake() = 0;

  /// Why this communicator is of no use any more.
  virtual const std::optional<Error>& failure() const = 0;

  /// Progresses until `operation` is done (its own deadline sees to it) and gives its status.
  Status wait(const Operation& operation);

  Status all_reduce(std::span<std::byte> buffer, AllReduceOptions options);
  Status reduce_scatter(std::span<std::byte> buffer, AllReduceOptions options);
  Status all_gather(std::span<std::byte> buffer, std::vector<std::uint64_t> block_bytes,
                    CollectiveOptions options);
  Status broadcast(std::span<std::byte> buffer, RootedOptions options);
  Status gather(std::span<const std::byte> mine, std::span<std::byte> all,
                std::vector<std::uint64_t> block_bytes, RootedOptions options);
  Status scatter(std::span<const std::byte> all, std::span<std::byte> mine,
                 std::vector<std::uint64_t> block_bytes, RootedOptions options);
  Status barrier(CollectiveOptions options);

 private:
  Status finish(Result<std::unique_ptr<Operation>> started);
  virtual Instant now() const = 0;
};

}  // namespace penstock::collectives
