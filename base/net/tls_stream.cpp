#include <kj/debug.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/net/coroutine.h"
#include "base/net/socket_options.h"
#include "base/net/tls.h"
#include "base/net/tls_context.h"
#include "base/net/tls_failure.h"

namespace penstock::net {

namespace {

constexpr std::size_t kRecordBytes = 16 * 1024;  // the largest plaintext of one record
constexpr std::size_t kReadBytes = 128 * 1024;   // ciphertext taken from the system at once
constexpr std::size_t kBatchBytes = 256 * 1024;  // ciphertext given to the system at once
constexpr std::size_t kUnsentBytesMax = 1024 * 1024;
constexpr Nanoseconds kLinger = 500ms;

// Plaintext ──SSL_write──▶ unsent_ ──inner write──▶ peer ──inner read──▶ received_ ──SSL_read──▶
//
// OpenSSL never touches the socket: its BIO takes from received_ and appends to unsent_. Each byte
// is copied once on either side, beside what the cipher and the kernel do.
class Stream final : public TlsStream {
 public:
  explicit Stream(kj::Own<kj::AsyncIoStream> inner) : inner_(kj::mv(inner)) {}

  Status open(const TlsContext& context, TlsRole role);
  Task<void> handshake(kj::Timer& timer);

  const std::string& peer_fingerprint() const override { return verdict_.fingerprint; }

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override {
    return read(static_cast<kj::byte*>(buffer), min_bytes, max_bytes);
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    return write_one(kj::arrayPtr(static_cast<const kj::byte*>(buffer), size));
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    return write_all(pieces);
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override;
  void abortRead() override { inner_->abortRead(); }
  void getsockopt(int level, int option, void* value, kj::uint* length) override {
    inner_->getsockopt(level, option, value, length);
  }
  void setsockopt(int level, int option, const void* value, kj::uint length) override {
    inner_->setsockopt(level, option, value, length);
  }
  void getsockname(sockaddr* address, kj::uint* length) override {
    inner_->getsockname(address, length);
  }
  void getpeername(sockaddr* address, kj::uint* length) override {
    inner_->getpeername(address, length);
  }

 private:
  static BIO_METHOD* bio_method();
  static int bio_read(BIO* bio, char* data, std::size_t size, std::size_t* done);
  static int bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* done);
  static long bio_control(BIO* bio, int command, long number, void* pointer);

  Task<size_t> read(kj::byte* buffer, size_t min_bytes, size_t max_bytes);
  Task<void> write_one(kj::ArrayPtr<const kj::byte> piece);
  Task<void> write_all(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces);
  Task<bool> receive();
  Task<void> drain();
  Task<void> refuse();
  kj::Promise<void> flush();

  size_t decrypt(kj::byte* buffer, size_t max_bytes);
  void encrypt(kj::ArrayPtr<const kj::byte> plain);
  /// Takes from `piece` until it is empty or a batch of ciphertext is ready.
  void stage(kj::ArrayPtr<const kj::byte>& piece);
  void encrypt_staged();

  kj::Own<kj::AsyncIoStream> inner_;
  std::string peer_;
  PeerVerdict verdict_;
  SslHandle ssl_;
  bool ended_ = false;  // the peer's close_notify has come

  kj::Array<kj::byte> received_;
  std::size_t received_begin_ = 0;
  std::size_t received_end_ = 0;

  std::vector<kj::byte> staged_;  // small pieces on their way to one record
  std::vector<kj::byte> unsent_;
  std::vector<kj::byte> sending_;
  bool flushing_ = false;
  kj::ForkedPromise<void> flush_ = nullptr;
  kj::Promise<void> ending_ = nullptr;
};

BIO_METHOD* Stream::bio_method() {
  // Immutable, and OpenSSL wants it to outlive every BIO made with it.
  static BIO_METHOD* const method = []() {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "penstock stream");
    PENSTOCK_CHECK(m != nullptr);
    BIO_meth_set_read_ex(m, bio_read);
    BIO_meth_set_write_ex(m, bio_write);
    BIO_meth_set_ctrl(m, bio_control);
    return m;
  }();
  return method;
}

int Stream::bio_read(BIO* bio, char* data, std::size_t size, std::size_t* done) {
  auto* self = static_cast<Stream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const std::size_t count = std::min(size, self->received_end_ - self->received_begin_);
  if (count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  std::memcpy(data, self->received_.begin() + self->received_begin_, count);
  self->received_begin_ += count;
  *done = count;
  return 1;
}

int Stream::bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* done) {
  auto* self = static_cast<Stream*>(BIO_get_data(bio));
  const auto* bytes = reinterpret_cast<const kj::byte*>(data);
  self->unsent_.insert(self->unsent_.end(), bytes, bytes + size);
  *done = size;
  return 1;
}

long Stream::bio_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

Status Stream::open(const TlsContext& context, TlsRole role) {
  peer_ = peer_name(*inner_);
  PENSTOCK_ASSIGN(ssl_, make_ssl(context, role, verdict_));
  BIO* bio = BIO_new(bio_method());
  if (bio == nullptr) return openssl_error("tls: new stream");
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);  // the SSL owns it now
  return {};
}

Task<void> Stream::handshake(kj::Timer& timer) {
  while (true) {
    const int done = SSL_do_handshake(ssl_.get());
    if (done == 1) break;
    const int reason = SSL_get_error(ssl_.get(), done);
    if (reason != SSL_ERROR_WANT_READ) {
      Error error = tls_failure(reason, verdict_.refusal).in("tls handshake with " + peer_);
      auto refused = with_deadline(timer, kLinger, refuse(), "refusing");
      co_await refused.catch_([](kj::Exception&&) {});
      throw_error(error);
    }
    co_await flush();
    const bool more = co_await receive();
    if (!more) {
      throw_error({ErrorCode::unavailable,
                   "tls handshake with " + peer_ + ": the peer closed the connection"});
    }
  }
  co_await flush();
}

/// Sends the alert that says why, then waits for the peer to hang up: closing a socket that still
/// holds unread bytes would reset it, and the alert might be lost.
Task<void> Stream::refuse() {
  co_await flush();
  inner_->shutdownWrite();
  bool more = true;
  while (more) more = co_await receive();
}

/// False at the end of the inner stream.
Task<bool> Stream::receive() {
  if (received_ == nullptr) received_ = kj::heapArray<kj::byte>(kReadBytes);
  const size_t count = co_await inner_->tryRead(received_.begin(), 1, received_.size());
  received_begin_ = 0;
  received_end_ = count;
  co_return count > 0;
}

Task<size_t> Stream::read(kj::byte* buffer, size_t min_bytes, size_t max_bytes) {
  size_t done = 0;
  while (true) {
    done += decrypt(buffer + done, max_bytes - done);
    // A request for new keys makes OpenSSL answer; the answer must not wait for our next write.
    if (!unsent_.empty()) {
      auto started = flush();
    }
    if (done >= min_bytes || ended_) co_return done;
    const bool more = co_await receive();
    if (!more) {
      throw_error(
          {ErrorCode::unavailable, "tls stream from " + peer_ + ": cut off without close_notify"});
    }
  }
}

size_t Stream::decrypt(kj::byte* buffer, size_t max_bytes) {
  size_t done = 0;
  while (done < max_bytes && !ended_) {
    size_t count = 0;
    const int ok = SSL_read_ex(ssl_.get(), buffer + done, max_bytes - done, &count);
    if (ok == 1) {
      done += count;
      continue;
    }
    const int reason = SSL_get_error(ssl_.get(), ok);
    if (reason == SSL_ERROR_WANT_READ) break;
    if (reason == SSL_ERROR_ZERO_RETURN) {
      ended_ = true;
    } else {
      throw_error(tls_failure(reason, verdict_.refusal).in("tls stream from " + peer_));
    }
  }
  if (unsent_.size() > kUnsentBytesMax) {
    throw_error({ErrorCode::resource_exhausted,
                 "tls stream from " + peer_ + ": the peer asks for new keys but reads nothing"});
  }
  return done;
}

Task<void> Stream::write_one(kj::ArrayPtr<const kj::byte> piece) {
  staged_.clear();
  while (piece.size() > 0) {
    stage(piece);
    if (unsent_.size() >= kBatchBytes) co_await flush();
  }
  encrypt_staged();
  co_await flush();
}

Task<void> Stream::write_all(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) {
  staged_.clear();
  for (kj::ArrayPtr<const kj::byte> piece : pieces) {
    while (piece.size() > 0) {
      stage(piece);
      if (unsent_.size() >= kBatchBytes) co_await flush();
    }
  }
  encrypt_staged();
  co_await flush();
}

void Stream::stage(kj::ArrayPtr<const kj::byte>& piece) {
  while (piece.size() > 0 && unsent_.size() < kBatchBytes) {
    if (staged_.empty() && piece.size() >= kRecordBytes) {
      encrypt(piece.slice(0, kRecordBytes));
      piece = piece.slice(kRecordBytes, piece.size());
      continue;
    }
    const std::size_t count = std::min(piece.size(), kRecordBytes - staged_.size());
    staged_.insert(staged_.end(), piece.begin(), piece.begin() + count);
    piece = piece.slice(count, piece.size());
    if (staged_.size() == kRecordBytes) encrypt_staged();
  }
}

void Stream::encrypt_staged() {
  if (staged_.empty()) return;
  encrypt(kj::arrayPtr(staged_.data(), staged_.size()));
  staged_.clear();
}

void Stream::encrypt(kj::ArrayPtr<const kj::byte> plain) {
  while (plain.size() > 0) {
    size_t count = 0;
    const int ok = SSL_write_ex(ssl_.get(), plain.begin(), plain.size(), &count);
    if (ok != 1) {
      const int reason = SSL_get_error(ssl_.get(), ok);
      throw_error(tls_failure(reason, verdict_.refusal).in("tls stream to " + peer_));
    }
    plain = plain.slice(count, plain.size());
  }
}

/// Sends all ciphertext there is; callers that come meanwhile share the wait. The stream owns the
/// work, so that a caller who gives up cannot leave half a record behind.
kj::Promise<void> Stream::flush() {
  if (flushing_) return flush_.addBranch();
  if (unsent_.empty()) return kj::READY_NOW;
  flushing_ = true;
  kj::Promise<void> drained = drain();
  flush_ = drained.fork();
  return flush_.addBranch();
}

Task<void> Stream::drain() {
  KJ_DEFER(flushing_ = false);
  while (!unsent_.empty()) {
    std::swap(unsent_, sending_);
    co_await inner_->write(sending_.data(), sending_.size());
    sending_.clear();
  }
}

void Stream::shutdownWrite() {
  SSL_shutdown(ssl_.get());
  ending_ =
      flush().then([this]() { inner_->shutdownWrite(); }).eagerlyEvaluate([](kj::Exception&&) {
        // The peer is gone already; reads and later writes say so.
      });
}

kj::Promise<kj::Own<TlsStream>> start(kj::Own<kj::AsyncIoStream> inner, const TlsContext& context,
                                      kj::Timer& timer, TlsRole role) {
  auto stream = kj::heap<Stream>(kj::mv(inner));
  Status opened = stream->open(context, role);
  if (!opened.ok()) return to_exception(opened.error());
  const std::string what = "tls handshake with " + peer_name(*stream);
  auto done =
      with_deadline(timer, context.options().handshake_deadline, stream->handshake(timer), what);
  return done.then(
      [stream = kj::mv(stream)]() mutable -> kj::Own<TlsStream> { return kj::mv(stream); });
}

}  // namespace

kj::Promise<kj::Own<TlsStream>> connect_tls(kj::Own<kj::AsyncIoStream> stream,
                                            const TlsContext& context, kj::Timer& timer) {
  return start(kj::mv(stream), context, timer, TlsRole::client);
}

kj::Promise<kj::Own<TlsStream>> accept_tls(kj::Own<kj::AsyncIoStream> stream,
                                           const TlsContext& context, kj::Timer& timer) {
  return start(kj::mv(stream), context, timer, TlsRole::server);
}

}  // namespace penstock::net
