#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "executor/collectives/stream.h"
#include "executor/collectives/transport.h"
#include "executor/worker/buffer_pool.h"

namespace penstock::executor {

/// Tags of the messages between leader and followers. Collectives use the operation numbers below.
inline constexpr std::uint32_t kCollectiveTags = 0xC0000000;
inline constexpr std::uint64_t kCommandTag = std::uint64_t{kCollectiveTags} << 8;
inline constexpr std::uint64_t kCompletionTag = kCommandTag + 0x100;

/// What one rank sends to another: a body that tells how many blobs of which size follow.
///
///     head (512 bytes: body size, first part of the body) | rest of the body | blob | blob ...
struct OutgoingMessage {
  std::string body;
  std::vector<std::span<const std::byte>> blobs;
  std::shared_ptr<const void> keep;  // owns the blobs; released once everything has been sent
  std::function<void()> sent;        // called on the communicate thread
};

struct IncomingMessage {
  std::string body;
  std::vector<Buffer> blobs;
  Nanoseconds transfer{};  // from the head's arrival to the last blob's
};

/// Sends messages to one peer, in order. Threads: the transport's owner
class MessageSender {
 public:
  MessageSender(collectives::Transport& transport, collectives::Envelope to)
      : transport_(transport), to_(to) {}

  Status send(OutgoingMessage message);
  /// Looks after what has been sent. True when something has finished.
  Result<bool> poll();
  /// Drops what is unfinished, after the transport has failed.
  void drop() { sending_.clear(); }

 private:
  struct Sending {
    OutgoingMessage message;
    std::unique_ptr<std::byte[]> head;
    std::vector<collectives::Posted> parts;
  };
  Status post(Sending& sending, std::span<const std::byte> bytes);

  collectives::Transport& transport_;
  const collectives::Envelope to_;
  std::deque<std::unique_ptr<Sending>> sending_;
};

/// Receives messages from one peer, in order.
/// Threads: the transport's owner
class MessageReceiver {
 public:
  /// Reads the blob sizes out of a body.
  using Sizes = std::function<Result<std::vector<std::uint64_t>>(std::string_view body)>;
  using Deliver = std::function<void(IncomingMessage)>;
  struct Options {
    collectives::Envelope from;
    std::uint64_t body_bytes_max = 0;
    Sizes sizes;
    Deliver deliver;
  };

  MessageReceiver(collectives::Transport& transport, std::shared_ptr<BufferPool> pool,
                  const Clock& clock, Options options);

  /// Posts what comes next and takes what has arrived. True when something has.
  /// Errors: data_loss for a damaged message; the transport's
  Result<bool> poll();
  void drop();

 private:
  Status post(std::span<std::byte> into);
  Result<bool> parts_arrived();
  Status head_arrived();
  Status body_arrived();
  void deliver();

  enum class Awaiting { nothing, head, rest, blobs };
  static constexpr std::size_t kHeadBytes = 512;
  friend class MessageSender;

  collectives::Transport& transport_;
  std::shared_ptr<BufferPool> pool_;  // shared: messages in flight to other threads hold buffers
  const Clock& clock_;
  Options options_;
  Awaiting awaiting_ = Awaiting::nothing;
  std::unique_ptr<std::byte[]> head_;
  IncomingMessage message_;
  Instant began_;
  std::vector<collectives::Posted> parts_;
};

}  // namespace penstock::executor
