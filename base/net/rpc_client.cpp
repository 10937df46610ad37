#include "base/net/rpc_client.h"

#include "base/net/coroutine.h"
#include "base/net/rpc_session.h"
#include "base/net/socket_options.h"

namespace penstock::net {

class RpcConnection::Impl {
 public:
  Impl(kj::Own<kj::AsyncIoStream> stream, const RpcClientOptions& options, std::string fingerprint)
      : fingerprint_(std::move(fingerprint)),
        pool_(kj::refcounted<BufferPool>(options.pooled_bytes_max)),
        session_(kj::mv(stream), *pool_, options.messages, options.fds_per_message_max,
                 capnp::rpc::twoparty::Side::CLIENT, nullptr),
        disconnected_(session_.network().onDisconnect().fork()),
        // Asked for at once: without it nothing reads, and a server that hangs up goes unnoticed.
        bootstrap_(session_.peer_bootstrap()) {
    session_.rpc().setFlowLimit(options.flow_limit_bytes / sizeof(capnp::word));
  }

  capnp::Capability::Client bootstrap() { return bootstrap_; }
  kj::Promise<void> on_disconnect() { return disconnected_.addBranch(); }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::string fingerprint_;
  kj::Own<BufferPool> pool_;
  RpcSession session_;
  kj::ForkedPromise<void> disconnected_;
  capnp::Capability::Client bootstrap_;
};

namespace {

Task<kj::Own<RpcConnection>> dial(EventLoop& loop, Address address, RpcClientOptions options) {
  const std::string text = address.dial_text();
  auto where = co_await loop.provider().getNetwork().parseAddress(text.c_str());
  kj::Own<kj::AsyncIoStream> stream = co_await where->connect();
  tune_for_rpc(*stream, options.unacknowledged_max);
  std::string fingerprint;
  if (options.tls != nullptr) {
    auto secured = co_await connect_tls(kj::mv(stream), *options.tls, loop.timer());
    fingerprint = secured->peer_fingerprint();
    stream = kj::mv(secured);
  }
  auto impl = std::make_unique<RpcConnection::Impl>(kj::mv(stream), options, fingerprint);
  co_return kj::heap<RpcConnection>(std::move(impl));
}

/// The reasons that the system gives for a failed connect all mean: nobody answers there now.
Error connect_error(const std::string& text, Error cause) {
  if (cause.code == ErrorCode::internal || cause.code == ErrorCode::unavailable) {
    cause.code = ErrorCode::unavailable;
    cause.message += "; is the service up, and is this its address?";
  }
  return std::move(cause).in("connect to " + text);
}

}  // namespace

kj::Promise<kj::Own<RpcConnection>> RpcConnection::connect(EventLoop& loop, const Address& address,
                                                           RpcClientOptions options) {
  const std::string text = address.dial_text();
  return with_deadline(loop.timer(), options.deadline, dial(loop, address, options), "the peer")
      .catch_([text](kj::Exception&& e) -> kj::Own<RpcConnection> {
        throw_error(connect_error(text, from_exception(e)));
      });
}

kj::Own<RpcConnection> RpcConnection::over(kj::Own<kj::AsyncIoStream> stream,
                                           const RpcClientOptions& options) {
  return kj::heap<RpcConnection>(std::make_unique<Impl>(kj::mv(stream), options, std::string()));
}

RpcConnection::RpcConnection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RpcConnection::~RpcConnection() = default;

capnp::Capability::Client RpcConnection::bootstrap() {
  return impl_->bootstrap();
}
kj::Promise<void> RpcConnection::on_disconnect() {
  return impl_->on_disconnect();
}
const std::string& RpcConnection::peer_fingerprint() const {
  return impl_->fingerprint();
}

}  // namespace penstock::net
