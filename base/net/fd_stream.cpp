#include "base/net/fd_stream.h"

#include <fcntl.h>
#include <kj/debug.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace penstock::net {

namespace {

constexpr size_t kPiecesMax = 64;  // of one system call
constexpr size_t kFdsMax = 64;     // of one message
using Provider = kj::LowLevelAsyncIoProvider;

kj::AutoCloseFd take(int fd, kj::uint flags) {
  if ((flags & Provider::TAKE_OWNERSHIP) == 0) return nullptr;
  if ((flags & Provider::ALREADY_CLOEXEC) == 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return kj::AutoCloseFd(fd);
}

/// Room for the descriptors of one message, aligned as the kernel wants it.
struct alignas(cmsghdr) ControlBuffer {
  std::array<char, CMSG_SPACE(sizeof(int) * kFdsMax)> bytes;
};

void put_fds(msghdr& message, ControlBuffer& control, kj::ArrayPtr<const int> fds) {
  KJ_REQUIRE(fds.size() <= kFdsMax, "too many file descriptors for one message", fds.size());
  std::memset(control.bytes.data(), 0, control.bytes.size());
  message.msg_control = control.bytes.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
  std::memcpy(CMSG_DATA(header), fds.begin(), sizeof(int) * fds.size());
}

}  // namespace

/// Where a read puts its bytes and descriptors, and what it has so far.
struct FdStream::Sink {
  kj::byte* bytes;
  size_t min_bytes;
  size_t max_bytes;
  kj::AutoCloseFd* fds;
  size_t max_fds;
  ReadResult done{0, 0};

  /// Every descriptor in the message is either handed on or closed.
  void take_fds(msghdr& message) {
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
        kj::AutoCloseFd owned(fd);
        if (done.capCount < max_fds) fds[done.capCount++] = kj::mv(owned);
      }
    }
  }
  /// True when the read is complete.
  bool take_bytes(size_t count) {
    done.byteCount += count;
    if (count == 0 || count >= min_bytes) return true;
    bytes += count;
    min_bytes -= count;
    max_bytes -= count;
    return false;
  }
};

FdStream::FdStream(uv_loop_s& loop, int fd, kj::uint flags)
    : loop_(loop), owned_(take(fd, flags)), fd_(fd), watcher_(loop, fd) {}

kj::Promise<size_t> FdStream::tryRead(void* buffer, size_t min_bytes, size_t max_bytes) {
  return read_some({static_cast<kj::byte*>(buffer), min_bytes, max_bytes, nullptr, 0})
      .then([](ReadResult result) { return result.byteCount; });
}

kj::Promise<FdStream::ReadResult> FdStream::tryReadWithFds(void* buffer, size_t min_bytes,
                                                           size_t max_bytes, kj::AutoCloseFd* fds,
                                                           size_t max_fds) {
  return read_some({static_cast<kj::byte*>(buffer), min_bytes, max_bytes, fds, max_fds});
}

kj::Promise<FdStream::ReadResult> FdStream::tryReadWithStreams(
    void* buffer, size_t min_bytes, size_t max_bytes, kj::Own<kj::AsyncCapabilityStream>* streams,
    size_t max_streams) {
  auto fds = kj::heapArray<kj::AutoCloseFd>(max_streams);
  auto result = tryReadWithFds(buffer, min_bytes, max_bytes, fds.begin(), max_streams);
  return result.then([this, fds = kj::mv(fds), streams](ReadResult got) mutable {
    for (size_t i = 0; i < got.capCount; ++i) {
      streams[i] = kj::heap<FdStream>(loop_, fds[i].release(),
                                      Provider::TAKE_OWNERSHIP | Provider::ALREADY_CLOEXEC);
    }
    return got;
  });
}

kj::Promise<FdStream::ReadResult> FdStream::read_some(Sink sink) {
  while (true) {
    ssize_t count = -1;
    if (sink.max_fds == 0) {
      KJ_NONBLOCKING_SYSCALL(count = ::read(fd_, sink.bytes, sink.max_bytes));
    } else {
      ControlBuffer control;
      iovec place{sink.bytes, sink.max_bytes};
      msghdr message{};
      message.msg_iov = &place;
      message.msg_iovlen = 1;
      message.msg_control = control.bytes.data();
      message.msg_controllen = CMSG_SPACE(sizeof(int) * std::min(sink.max_fds, kFdsMax));
      KJ_NONBLOCKING_SYSCALL(count = ::recvmsg(fd_, &message, MSG_CMSG_CLOEXEC));
      if (count >= 0) sink.take_fds(message);
    }
    if (count < 0) {
      return watcher_.when_readable().then([this, sink]() { return read_some(sink); });
    }
    if (sink.take_bytes(static_cast<size_t>(count))) return sink.done;
  }
}

kj::Promise<void> FdStream::write(const void* buffer, size_t size) {
  return write_some(kj::arrayPtr(static_cast<const kj::byte*>(buffer), size), nullptr, nullptr);
}

kj::Promise<void> FdStream::write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) {
  return write_some(nullptr, pieces, nullptr);
}

kj::Promise<void> FdStream::writeWithFds(kj::ArrayPtr<const kj::byte> data,
                                         kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
                                         kj::ArrayPtr<const int> fds) {
  return write_some(data, more, fds);
}

kj::Promise<void> FdStream::writeWithStreams(
    kj::ArrayPtr<const kj::byte> data, kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
    kj::Array<kj::Own<kj::AsyncCapabilityStream>> streams) {
  auto fds = KJ_MAP(stream, streams) {
    return KJ_REQUIRE_NONNULL(stream->getFd(), "a stream without a file descriptor cannot be sent");
  };
  auto written = write_some(data, more, fds);
  return written.attach(kj::mv(fds), kj::mv(streams));
}

kj::Promise<void> FdStream::write_some(kj::ArrayPtr<const kj::byte> data,
                                       kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> more,
                                       kj::ArrayPtr<const int> fds) {
  while (true) {
    while (data.size() == 0 && more.size() > 0) {
      data = more[0];
      more = more.slice(1, more.size());
    }
    if (data.size() == 0) return kj::READY_NOW;
    std::array<iovec, kPiecesMax> pieces;
    size_t piece_count = 0;
    pieces[piece_count++] = {const_cast<kj::byte*>(data.begin()), data.size()};
    for (size_t i = 0; i < more.size() && piece_count < kPiecesMax; ++i) {
      pieces[piece_count++] = {const_cast<kj::byte*>(more[i].begin()), more[i].size()};
    }
    ssize_t count = -1;
    if (fds.size() == 0) {
      KJ_NONBLOCKING_SYSCALL(count = ::writev(fd_, pieces.data(), static_cast<int>(piece_count)));
    } else {
      ControlBuffer control;
      msghdr message{};
      message.msg_iov = pieces.data();
      message.msg_iovlen = piece_count;
      put_fds(message, control, fds);
      KJ_NONBLOCKING_SYSCALL(count = ::sendmsg(fd_, &message, MSG_NOSIGNAL));
    }
    if (count < 0) {
      return watcher_.when_writable().then(
          [this, data, more, fds]() { return write_some(data, more, fds); });
    }
    fds = nullptr;  // they went with the first byte
    size_t sent = static_cast<size_t>(count);
    while (sent >= data.size() && more.size() > 0) {
      sent -= data.size();
      data = more[0];
      more = more.slice(1, more.size());
    }
    data = data.slice(sent, data.size());
  }
}

kj::Promise<void> FdStream::whenWriteDisconnected() {
  if (hung_up_ == nullptr) hung_up_ = watcher_.when_hung_up().fork();
  return KJ_ASSERT_NONNULL(hung_up_).addBranch();
}

kj::Promise<void> FdStream::when_connected() {
  pollfd state{fd_, POLLOUT, 0};
  if (::poll(&state, 1, 0) > 0) return kj::READY_NOW;
  return watcher_.when_writable();
}

void FdStream::shutdownWrite() {
  KJ_SYSCALL(::shutdown(fd_, SHUT_WR));
}

void FdStream::abortRead() {
  KJ_SYSCALL(::shutdown(fd_, SHUT_RD));
}

void FdStream::getsockopt(int level, int option, void* value, kj::uint* length) {
  KJ_SYSCALL(::getsockopt(fd_, level, option, value, length));
}

void FdStream::setsockopt(int level, int option, const void* value, kj::uint length) {
  KJ_SYSCALL(::setsockopt(fd_, level, option, value, length));
}

void FdStream::getsockname(sockaddr* address, kj::uint* length) {
  KJ_SYSCALL(::getsockname(fd_, address, length));
}

void FdStream::getpeername(sockaddr* address, kj::uint* length) {
  KJ_SYSCALL(::getpeername(fd_, address, length));
}

}  // namespace penstock::net
