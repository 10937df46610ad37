#pragma once

#include <kj/async-io.h>
#include <kj/io.h>

#include "base/net/fd_watcher.h"

namespace penstock::net {

/// A KJ stream over a socket or pipe in our loop. On a Unix socket it passes file descriptors.
class FdStream final : public kj::AsyncCapabilityStream {
 public:
  /// `flags` are kj::LowLevelAsyncIoProvider's.
  FdStream(uv_loop_s& loop, int fd, kj::uint flags);

  kj::Promise<size_t> tryRead(void* buffer, size_t min_bytes, size_t max_bytes) override;
  kj::Promise<ReadResult> tryReadWithFds(void* buffer, size_t min_bytes, size_t max_bytes,
                                         kj::AutoCloseFd* fds, size_t max_fds) override;
  kj::Promise<ReadResult> tryReadWithStreams(void* buffer, size_t min_bytes, size_t max_bytes,
                                             kj::Own<kj::AsyncCapabilityStream>* streams,
                                             size_t max_streams) override;

  kj::Promise<void> write(const void* buffer, size_t size) override;
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override;
  kj::Promise<void> writeWithFds(kj::ArrayPtr<const kj::byte> data,
                                 kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
                                 kj::ArrayPtr<const int> fds) override;
  kj::Promise<void> writeWithStreams(
      kj::ArrayPtr<const kj::byte> data, kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
      kj::Array<kj::Own<kj::AsyncCapabilityStream>> streams) override;

  kj::Promise<void> whenWriteDisconnected() override;
  void shutdownWrite() override;
  void abortRead() override;
  void getsockopt(int level, int option, void* value, kj::uint* length) override;
  void setsockopt(int level, int option, const void* value, kj::uint length) override;
  void getsockname(sockaddr* address, kj::uint* length) override;
  void getpeername(sockaddr* address, kj::uint* length) override;
  kj::Maybe<int> getFd() const override { return fd_; }

  /// When a connection that is being made is decided.
  kj::Promise<void> when_connected();

 private:
  struct Sink;
  kj::Promise<ReadResult> read_some(Sink sink);
  kj::Promise<void> write_some(kj::ArrayPtr<const kj::byte> data,
                               kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
                               kj::ArrayPtr<const int> fds);

  uv_loop_s& loop_;
  kj::AutoCloseFd owned_;
  int fd_;
  FdWatcher watcher_;  // after owned_: the watcher closes before the descriptor does
  kj::Maybe<kj::ForkedPromise<void>> hung_up_;
};

}  // namespace penstock::net
