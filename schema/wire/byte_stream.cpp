#include "schema/wire/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/net/rpc_error.h"
#include "schema/wire/convert.h"

namespace penstock::wire {
namespace {

kj::Promise<void> send_from(ByteSink::Client sink, std::span<const std::byte> rest) {
  if (rest.empty()) return sink.doneRequest().send().ignoreResult();
  const std::size_t n = std::min<std::size_t>(rest.size(), kChunkBytes);
  auto request = sink.writeRequest(capnp::MessageSize{n / 8 + 16, 0});
  std::memcpy(request.initBytes(static_cast<unsigned>(n)).begin(), rest.data(), n);
  auto sent = request.send();
  return sent.then([sink = kj::mv(sink), rest = rest.subspan(n)]() mutable {
    return send_from(kj::mv(sink), rest);
  });
}

class Receiver final : public ByteSink::Server {
 public:
  Receiver(std::span<std::byte> destination, kj::Own<void> keep, std::function<void()> finished)
      : rest_(destination), keep_(kj::mv(keep)), finished_(std::move(finished)) {}

  kj::Promise<void> write(WriteContext context) override {
    const auto bytes = context.getParams().getBytes();
    if (bytes.size() > rest_.size())
      net::throw_error(invalid("tensor stream: " + std::to_string(bytes.size()) +
                               " more bytes, but the announced type lacks only " +
                               std::to_string(rest_.size())));
    std::memcpy(rest_.data(), bytes.begin(), bytes.size());
    rest_ = rest_.subspan(bytes.size());
    return kj::READY_NOW;
  }

  kj::Promise<void> done(DoneContext) override {
    if (!rest_.empty())
      net::throw_error(invalid("tensor stream: ended " + std::to_string(rest_.size()) +
                               " bytes before the announced type was full"));
    if (finished_) std::exchange(finished_, nullptr)();
    return kj::READY_NOW;
  }

 private:
  std::span<std::byte> rest_;
  kj::Own<void> keep_;
  std::function<void()> finished_;
};

class Source final : public ByteSource::Server {
 public:
  Source(std::span<const std::byte> bytes, kj::Own<void> keep)
      : bytes_(bytes), keep_(kj::mv(keep)) {}

  kj::Promise<void> read(ReadContext context) override {
    auto sink = context.getParams().getSink();
    context.releaseParams();
    return send_bytes(kj::mv(sink), bytes_);
  }

 private:
  std::span<const std::byte> bytes_;
  kj::Own<void> keep_;
};

}  // namespace

kj::Promise<void> send_bytes(ByteSink::Client sink, std::span<const std::byte> bytes) {
  return send_from(kj::mv(sink), bytes);
}

ByteSink::Client receive_bytes(std::span<std::byte> destination, kj::Own<void> keep,
                               std::function<void()> finished) {
  return kj::heap<Receiver>(destination, kj::mv(keep), std::move(finished));
}

ByteSource::Client serve_bytes(std::span<const std::byte> bytes, kj::Own<void> keep) {
  return kj::heap<Source>(bytes, kj::mv(keep));
}

}  // namespace penstock::wire
