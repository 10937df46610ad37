#pragma once

#include <capnp/serialize-async.h>
#include <kj/async-io.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "base/net/buffer_pool.h"
#include "base/net/coroutine.h"
#include "base/units.h"

namespace penstock::net {

struct MessageLimits {
  /// Of one message, both ways. A header that claims more breaks the connection before anything is
  /// allocated.
  std::size_t message_bytes_max = 16 * kMiB;
  /// How much of a `-> stream` method may be under way; without it the socket's send buffer
  /// decides. Should be the link's bandwidth times its round trip.
  std::optional<int> send_window_bytes;
};

/// What capnp::TwoPartyVatNetwork wants to be told, so that sending too large a message fails that
/// call alone.
capnp::ReaderOptions receive_options(const MessageLimits& limits);

/// Cap'n Proto messages over a byte stream. Small messages are read several at a time, and written
/// together at the end of the loop's turn; large ones go straight between socket and a pooled
/// buffer.
/// Threads: one loop
class MessageStream final : public capnp::MessageStream {
 public:
  MessageStream(kj::AsyncIoStream& stream, BufferPool& pool, MessageLimits limits);
  /// Also passes file descriptors. Reads one message at a time, since they belong to bytes.
  MessageStream(kj::AsyncCapabilityStream& stream, BufferPool& pool, MessageLimits limits);
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;
  ~MessageStream();

  using capnp::MessageStream::tryReadMessage;
  using capnp::MessageStream::writeMessage;
  using capnp::MessageStream::writeMessages;
  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fd_space, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override;
  kj::Promise<void> writeMessage(
      kj::ArrayPtr<const int> fds,
      kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
  kj::Maybe<int> getSendBufferSize() override;
  kj::Promise<void> end() override;

 private:
  class Reading;
  class Writing;
  Task<void> write_in_order(
      std::vector<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages);

  kj::AsyncIoStream& stream_;
  MessageLimits limits_;
  std::unique_ptr<Reading> reading_;
  std::unique_ptr<Writing> writing_;
};

}  // namespace penstock::net
