#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "executor/collectives/algorithm.h"

namespace penstock::collectives {

/// One posting, taken back when it is destroyed before its end.
class Posted {
 public:
  Posted(Transport& transport, Posting posting) : transport_(&transport), posting_(posting) {}
  Posted(Posted&& other) noexcept
      : transport_(other.transport_), posting_(std::exchange(other.posting_, Posting{})) {}
  Posted& operator=(Posted&&) = delete;
  ~Posted() {
    if (posting_) transport_->abandon(posting_);
  }

  /// True once finished, and ever after.
  Result<bool> finished() {
    if (!posting_) return true;
    auto ended = transport_->test(posting_);
    if (!ended.ok() || *ended) posting_ = {};
    return ended;
  }

 private:
  Transport* transport_;
  Posting posting_;
};

/// Whether the sender's end of a stream waits until the receiver has taken every chunk. A
/// collective in which a sender learns nothing from its receivers needs it, or it could run ahead
/// without bound.
enum class StreamEnd { open, acknowledged };

/// A sequence of chunks from one rank to another; both sides construct it with the same shape.
struct StreamShape {
  Rank peer = 0;
  std::uint32_t tag = 0;  // of the operation
  std::uint8_t lane = 0;  // tells the streams of one operation apart, at most 127
  std::uint64_t chunks = 0;
  StreamEnd end = StreamEnd::open;
};

/// The sending side: sends at most `window` chunks more than the receiver has granted.
class OutStream {
 public:
  OutStream(const Context& context, StreamShape shape);

  bool can_send() const { return sent_ < shape_.chunks && sent_ < allowed_; }
  /// Needs can_send().
  Status send(std::span<const std::byte> chunk);
  /// Looks after finished sends and granted credits. True when something changed.
  Result<bool> poll();

  std::uint64_t sent() const { return sent_; }
  std::uint64_t completed() const { return completed_; }
  bool finished() const;
  std::string waiting_for() const;

 private:
  Status expect_credit();

  const Context& context_;
  StreamShape shape_;
  std::uint64_t sent_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t allowed_;
  std::uint64_t grants_due_;
  std::deque<Posted> sends_;
  std::optional<Posted> credit_;
};

/// The receiving side: posts at most `window` chunks ahead, and grants more as chunks are freed.
class InStream {
 public:
  InStream(const Context& context, StreamShape shape);

  bool can_post() const { return posted_ < shape_.chunks && posted_ < freed_ + window_; }
  /// Needs can_post(). Chunks arrive in the order of posting.
  Status post(std::span<std::byte> into);
  /// Looks after arrivals. True when something changed.
  Result<bool> poll();
  /// The oldest chunk not yet freed has been used up.
  Status free_one();

  std::uint64_t posted() const { return posted_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t freed() const { return freed_; }
  bool finished() const;
  std::string waiting_for() const;
  /// Takes back every receive that is posted.
  void stop() { incoming_.clear(); }

 private:
  struct Incoming {
    Posted posted;
    std::uint64_t bytes;
  };

  const Context& context_;
  StreamShape shape_;
  std::uint64_t window_;
  std::uint64_t posted_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t freed_ = 0;
  std::uint64_t granted_ = 0;
  std::deque<Incoming> incoming_;
  std::deque<Posted> credits_;
};

/// How many chunks `bytes` take; none for none.
inline std::uint64_t chunks_of(std::uint64_t bytes, std::uint64_t chunk_bytes) {
  return (bytes + chunk_bytes - 1) / chunk_bytes;
}

/// The `index`th chunk of a span; empty past its end.
template <class Byte>
std::span<Byte> chunk_at(std::span<Byte> whole, std::uint64_t index, std::uint64_t chunk_bytes) {
  const std::uint64_t from = std::min<std::uint64_t>(index * chunk_bytes, whole.size());
  return whole.subspan(from, std::min<std::uint64_t>(chunk_bytes, whole.size() - from));
}

}  // namespace penstock::collectives
