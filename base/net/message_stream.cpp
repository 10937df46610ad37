#include "base/net/message_stream.h"

#include <kj/debug.h>
#include <kj/io.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/net/coroutine.h"
#include "base/net/message_header.h"

namespace penstock::net {

namespace {

constexpr std::size_t kWord = sizeof(capnp::word);
constexpr std::size_t kReadAheadBytes = 64 * 1024;
constexpr std::size_t kTableBytesMax = (kSegmentsMax / 2 + 1) * kWord;
/// A message up to this is copied into the turn's batch; a larger one is written from where it is.
constexpr std::size_t kBatchedBytesMax = 16 * 1024;
/// A batch beyond this makes writers wait.
constexpr std::size_t kBatchBytesMax = 256 * 1024;

using Segments = kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>;
using MaybeMessage = kj::Maybe<capnp::MessageReaderAndFds>;

/// A received message; its buffer goes back to the pool.
class PooledMessage final : public capnp::MessageReader {
 public:
  PooledMessage(capnp::ReaderOptions options, kj::Own<BufferPool> pool, const MessageHeader& header)
      : capnp::MessageReader(options),
        pool_(kj::mv(pool)),
        buffer_(pool_->take(header.body_words)) {
    const capnp::word* at = buffer_.begin();
    segments_.reserve(header.segment_words.size());
    for (std::uint32_t words : header.segment_words) {
      segments_.push_back(kj::arrayPtr(at, words));
      at += words;
    }
    body_ = kj::arrayPtr(buffer_.begin(), header.body_words).asBytes();
  }
  ~PooledMessage() noexcept(false) override { pool_->give_back(kj::mv(buffer_)); }

  kj::ArrayPtr<kj::byte> body() { return body_; }
  kj::ArrayPtr<const capnp::word> getSegment(kj::uint id) override {
    return id < segments_.size() ? segments_[id] : nullptr;
  }

 private:
  kj::Own<BufferPool> pool_;
  kj::Array<capnp::word> buffer_;
  kj::ArrayPtr<kj::byte> body_;
  std::vector<kj::ArrayPtr<const capnp::word>> segments_;
};

/// The limit is on what arrives; reading it twice over (getData() counts every time) is fine.
capnp::ReaderOptions traversal(capnp::ReaderOptions options, const MessageHeader& header) {
  options.traversalLimitInWords =
      std::max<std::uint64_t>(options.traversalLimitInWords, header.body_words) * 4;
  return options;
}

[[noreturn]] void fail_read(Error error) {
  throw_error(std::move(error).in("read message"));
}

Error cut_off() {
  return {ErrorCode::unavailable, "the connection ended in the middle of a message"};
}

}  // namespace

class MessageStream::Reading {
 public:
  Reading(kj::AsyncIoStream& stream, kj::AsyncCapabilityStream* fd_stream, BufferPool& pool,
          std::size_t message_bytes_max)
      : stream_(stream),
        fd_stream_(fd_stream),
        pool_(kj::addRef(pool)),
        message_bytes_max_(message_bytes_max) {}

  kj::Promise<MaybeMessage> next(kj::ArrayPtr<kj::AutoCloseFd> fd_space,
                                 capnp::ReaderOptions options) {
    if (fd_stream_ != nullptr) return next_with_fds(fd_space, options);
    if (buffered() >= 4) {
      auto message = take_buffered(options);
      KJ_IF_MAYBE (reader, message) {
        return MaybeMessage(capnp::MessageReaderAndFds{kj::mv(*reader), nullptr});
      }
    }
    return next_slowly(options);
  }

 private:
  std::size_t buffered() const { return end_ - begin_; }
  const kj::byte* at() const { return ahead_.begin() + begin_; }

  /// The next message if all of it is in the read-ahead buffer.
  kj::Maybe<kj::Own<capnp::MessageReader>> take_buffered(capnp::ReaderOptions options) {
    const std::size_t table_bytes = table_size(at());
    if (buffered() < table_bytes) return nullptr;
    const MessageHeader header = table(at());
    const std::size_t body_size = header.body_words * kWord;
    if (buffered() < table_bytes + body_size) return nullptr;
    auto message = kj::heap<PooledMessage>(traversal(options, header), kj::addRef(*pool_), header);
    std::memcpy(message->body().begin(), at() + table_bytes, body_size);
    begin_ += table_bytes + body_size;
    return kj::Own<capnp::MessageReader>(kj::mv(message));
  }

  Task<MaybeMessage> next_slowly(capnp::ReaderOptions options) {
    if (ahead_ == nullptr) ahead_ = kj::heapArray<kj::byte>(kReadAheadBytes);
    const bool any = co_await fill(4);
    if (!any) co_return MaybeMessage(nullptr);
    const std::size_t table_bytes = table_size(at());
    const bool whole_table = co_await fill(table_bytes);
    if (!whole_table) fail_read(cut_off());
    const MessageHeader header = table(at());
    begin_ += table_bytes;
    auto message = kj::heap<PooledMessage>(traversal(options, header), kj::addRef(*pool_), header);
    kj::ArrayPtr<kj::byte> rest = message->body();
    if (rest.size() <= kReadAheadBytes / 2) {
      // Small: read on behind it, the next message may be there already.
      const bool whole = co_await fill(rest.size());
      if (!whole) fail_read(cut_off());
    }
    const std::size_t have = std::min(rest.size(), buffered());
    std::memcpy(rest.begin(), at(), have);
    begin_ += have;
    rest = rest.slice(have, rest.size());
    if (rest.size() > 0) {
      const std::size_t got = co_await stream_.tryRead(rest.begin(), rest.size(), rest.size());
      if (got < rest.size()) fail_read(cut_off());
    }
    co_return MaybeMessage(capnp::MessageReaderAndFds{kj::mv(message), nullptr});
  }

  /// Makes `bytes` available in the read-ahead buffer. False at a clean end of the stream.
  Task<bool> fill(std::size_t bytes) {
    if (buffered() >= bytes) co_return true;
    if (begin_ > 0) {
      std::memmove(ahead_.begin(), at(), buffered());
      end_ = buffered();
      begin_ = 0;
    }
    const std::size_t got =
        co_await stream_.tryRead(ahead_.begin() + end_, bytes - end_, ahead_.size() - end_);
    end_ += got;
    if (end_ >= bytes) co_return true;
    if (end_ > 0) fail_read(cut_off());
    co_return false;
  }

  /// Descriptors come with the first bytes of their message, so nothing is read ahead.
  Task<MaybeMessage> next_with_fds(kj::ArrayPtr<kj::AutoCloseFd> fd_space,
                                   capnp::ReaderOptions options) {
    std::array<kj::byte, kTableBytesMax> start;
    const auto got = co_await fd_stream_->tryReadWithFds(start.data(), kWord, kWord,
                                                         fd_space.begin(), fd_space.size());
    if (got.byteCount == 0) co_return MaybeMessage(nullptr);
    if (got.byteCount < kWord) fail_read(cut_off());
    const std::size_t rest_of_table = table_size(start.data()) - kWord;
    if (rest_of_table > 0) {
      const std::size_t more =
          co_await fd_stream_->tryRead(start.data() + kWord, rest_of_table, rest_of_table);
      if (more < rest_of_table) fail_read(cut_off());
    }
    const MessageHeader header = table(start.data());
    auto message = kj::heap<PooledMessage>(traversal(options, header), kj::addRef(*pool_), header);
    const std::size_t size = message->body().size();
    if (size > 0) {
      const std::size_t body = co_await fd_stream_->tryRead(message->body().begin(), size, size);
      if (body < size) fail_read(cut_off());
    }
    co_return MaybeMessage(
        capnp::MessageReaderAndFds{kj::mv(message), fd_space.slice(0, got.capCount)});
  }

  std::size_t table_size(const kj::byte* first4) {
    auto size = header_bytes(first4);
    if (!size.ok()) fail_read(std::move(size).error());
    return *size;
  }
  MessageHeader table(const kj::byte* bytes) {
    auto header = read_header(bytes, message_bytes_max_);
    if (!header.ok()) fail_read(std::move(header).error());
    return std::move(*header);
  }

  kj::AsyncIoStream& stream_;
  kj::AsyncCapabilityStream* fd_stream_;
  kj::Own<BufferPool> pool_;
  std::size_t message_bytes_max_;
  kj::Array<kj::byte> ahead_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class MessageStream::Writing {
 public:
  Writing(kj::AsyncIoStream& stream, kj::AsyncCapabilityStream* fd_stream)
      : stream_(stream), fd_stream_(fd_stream) {}

  kj::Promise<void> add(Segments segments) {
    KJ_IF_MAYBE (failure, failure_) {
      return kj::cp(*failure);
    }
    append_header(segments, batch_);
    const std::size_t size = body_bytes(segments);
    if (size > kBatchedBytesMax) return write_large(segments);
    for (const auto& segment : segments) {
      const auto bytes = segment.asBytes();
      batch_.insert(batch_.end(), bytes.begin(), bytes.end());
    }
    if (batch_.size() > kBatchBytesMax) return flush();
    if (!scheduled_) {
      scheduled_ = true;
      // When nothing else is left to do in this turn: calls made together travel together.
      later_ = kj::evalLast([this]() {
                 scheduled_ = false;
                 return flush();
               }).eagerlyEvaluate([this](kj::Exception&& failure) {
        if (failure_ == nullptr) failure_ = kj::mv(failure);
      });
    }
    return kj::READY_NOW;
  }

  Task<void> add_with_fds(kj::ArrayPtr<const int> fds, Segments segments) {
    KJ_REQUIRE(fd_stream_ != nullptr, "this connection passes no file descriptors");
    co_await flush();
    std::vector<unsigned char> table;
    append_header(segments, table);
    std::vector<kj::ArrayPtr<const kj::byte>> pieces;
    for (const auto& segment : segments) pieces.push_back(segment.asBytes());
    co_await fd_stream_->writeWithFds(kj::arrayPtr(table.data(), table.size()),
                                      kj::arrayPtr(pieces.data(), pieces.size()), fds);
  }

  /// Sends what is in the batch, after what is being sent.
  kj::Promise<void> flush() {
    if (writing_) return write_fork_.addBranch().then([this]() { return flush(); });
    if (batch_.empty()) return kj::READY_NOW;
    return begin({});
  }

 private:
  kj::Promise<void> write_large(Segments segments) {
    if (writing_) {
      // The table is in the batch; nobody else adds to it, since the network writes one message
      // after the other.
      return write_fork_.addBranch().then([this, segments]() { return write_large(segments); });
    }
    return begin(segments);
  }

  kj::Promise<void> begin(Segments segments) {
    writing_ = true;
    kj::Promise<void> written = write_now(segments);
    write_fork_ = written.fork();
    return write_fork_.addBranch();
  }

  Task<void> write_now(Segments segments) {
    KJ_DEFER(writing_ = false);
    std::swap(batch_, sending_);
    batch_.clear();
    std::vector<kj::ArrayPtr<const kj::byte>> pieces;
    pieces.push_back(kj::arrayPtr(sending_.data(), sending_.size()));
    for (const auto& segment : segments) pieces.push_back(segment.asBytes());
    co_await stream_.write(kj::arrayPtr(pieces.data(), pieces.size()));
    sending_.clear();
  }

  kj::AsyncIoStream& stream_;
  kj::AsyncCapabilityStream* fd_stream_;
  std::vector<unsigned char> batch_;
  std::vector<unsigned char> sending_;
  bool scheduled_ = false;
  bool writing_ = false;
  kj::Maybe<kj::Exception> failure_;  // of a batch that nobody waited for
  kj::ForkedPromise<void> write_fork_ = nullptr;
  kj::Promise<void> later_ = nullptr;
};

capnp::ReaderOptions receive_options(const MessageLimits& limits) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = limits.message_bytes_max / kWord;
  return options;
}

MessageStream::MessageStream(kj::AsyncIoStream& stream, BufferPool& pool, MessageLimits limits)
    : stream_(stream),
      limits_(limits),
      reading_(std::make_unique<Reading>(stream, nullptr, pool, limits.message_bytes_max)),
      writing_(std::make_unique<Writing>(stream, nullptr)) {}

MessageStream::MessageStream(kj::AsyncCapabilityStream& stream, BufferPool& pool,
                             MessageLimits limits)
    : stream_(stream),
      limits_(limits),
      reading_(std::make_unique<Reading>(stream, &stream, pool, limits.message_bytes_max)),
      writing_(std::make_unique<Writing>(stream, &stream)) {}

MessageStream::~MessageStream() = default;

kj::Promise<MaybeMessage> MessageStream::tryReadMessage(kj::ArrayPtr<kj::AutoCloseFd> fd_space,
                                                        capnp::ReaderOptions options,
                                                        kj::ArrayPtr<capnp::word>) {
  return reading_->next(fd_space, options);
}

kj::Promise<void> MessageStream::writeMessage(kj::ArrayPtr<const int> fds, Segments segments) {
  const std::size_t size = body_bytes(segments);
  if (size > limits_.message_bytes_max || segments.size() > kSegmentsMax) {
    return to_exception({ErrorCode::resource_exhausted,
                         "write message: " + format_bytes(size) + " in " +
                             std::to_string(segments.size()) + " segments, but the limits are " +
                             format_bytes(limits_.message_bytes_max) +
                             " and 512; send larger data as a stream of chunks"});
  }
  if (fds.size() > 0) return writing_->add_with_fds(fds, segments);
  return writing_->add(segments);
}

kj::Promise<void> MessageStream::writeMessages(kj::ArrayPtr<Segments> messages) {
  // The caller may drop the outer list once this returns; the segments stay.
  return write_in_order(std::vector<Segments>(messages.begin(), messages.end()));
}

Task<void> MessageStream::write_in_order(std::vector<Segments> messages) {
  for (const Segments& segments : messages) co_await writeMessage(nullptr, segments);
}

kj::Maybe<int> MessageStream::getSendBufferSize() {
  if (limits_.send_window_bytes) return *limits_.send_window_bytes;
  int bytes = 0;
  kj::uint length = sizeof(bytes);
  auto failure = kj::runCatchingExceptions(
      [this, &bytes, &length]() { stream_.getsockopt(SOL_SOCKET, SO_SNDBUF, &bytes, &length); });
  if (failure != nullptr) return nullptr;  // a stream that is no socket
  return bytes;
}

kj::Promise<void> MessageStream::end() {
  return writing_->flush().then([this]() { stream_.shutdownWrite(); });
}

}  // namespace penstock::net
