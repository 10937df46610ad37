#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "base/units.h"

namespace penstock::collectives {

/// A worker's number in its lease's mesh, from 0.
using Rank = std::uint32_t;

/// How many low bits of a tag belong to the user of a transport; the rest are the transport's own.
inline constexpr unsigned kTagBits = 40;

/// Whom a message goes to or comes from, and which one it is. Messages with the same peer and tag
/// are matched in the order of their posting.
struct Envelope {
  Rank peer = 0;
  std::uint64_t tag = 0;
};

/// Names one posted send or receive until `test` has told its end or `abandon` has taken it back.
struct Posting {
  std::uint64_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  bool operator==(const Posting&) const = default;
};

/// The narrow seam under the collectives: messages of any size between the ranks of one lease.
///
/// The first peer that fails takes the whole transport with it: a mesh that lost a rank is of no
/// use, and recovery is a new process. From then on no buffer is touched, every posting that is not
/// finished reports that failure, and every later post is refused with it.
///
/// Threads: one owner calls everything; `wake` and `mark_failed` may be called from any thread.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  /// Starts to send; `bytes` must stay as they are until the posting is finished.
  /// Errors: invalid_argument for a peer outside the mesh, this rank itself, or a tag of more than
  ///         kTagBits; unavailable, naming the rank, when a peer has failed
  virtual Result<Posting> post_send(Envelope to, std::span<const std::byte> bytes) = 0;

  /// Starts to receive one message of exactly `into.size()` bytes.
  /// Errors: as post_send
  virtual Result<Posting> post_receive(Envelope from, std::span<std::byte> into) = 0;

  /// True when the posting has finished, false while it runs. True and an error end the posting.
  /// Looks only; progress is made by `idle`.
  /// Errors: unavailable, naming the rank that failed; data_loss when the message had another size
  virtual Result<bool> test(Posting posting) = 0;

  /// Ends a posting early; afterwards its buffer is free to go. One that a peer may still be
  /// reading or filling cannot be taken back alone: it closes the transport.
  virtual void abandon(Posting posting) = 0;

  /// Makes progress; returns when a posting has finished since the last call, `wake` was called, a
  /// peer has failed, or the deadline has passed. Spins for some microseconds, then sleeps. A
  /// deadline in the past makes one pass and returns.
  virtual void idle(Instant deadline) = 0;

  /// Ends the running `idle`, or the next one. Threads: any
  virtual void wake() = 0;

  /// A supervisor's word that a rank is gone; waits on it end at once. The first reason is kept.
  /// Threads: any
  virtual void mark_failed(Rank rank, std::string reason) = 0;

  /// The failure that closed this transport, naming the rank. Told by the next call of the owner.
  virtual const std::optional<Error>& failure() const = 0;
};

/// What every transport checks before it posts. Errors: invalid_argument
Status check_envelope(const Transport& transport, Envelope envelope, const char* operation);

/// `rank 2 failed: process 812 ended`
Error peer_failed(Rank rank, const std::string& reason);

/// `receive from rank 1 (tag 0x10): 12 bytes arrived, 16 were expected`
Error size_mismatch(Envelope from, std::uint64_t arrived, std::uint64_t expected);

}  // namespace penstock::collectives
