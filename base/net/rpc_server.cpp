#include "base/net/rpc_server.h"

#include <kj/debug.h>

#include "base/net/coroutine.h"
#include "base/net/rpc_session.h"
#include "base/net/socket_options.h"

namespace penstock::net {

namespace {

constexpr Nanoseconds kAcceptPause = 100ms;

}  // namespace

class RpcServer::Impl final : private kj::TaskSet::ErrorHandler {
 public:
  Impl(EventLoop& loop, kj::Own<kj::ConnectionReceiver> listener, Bootstrap bootstrap,
       RpcServerOptions options, Log& log)
      : timer_(loop.timer()),
        listener_(kj::mv(listener)),
        bootstrap_(std::move(bootstrap)),
        options_(options),
        log_(log),
        pool_(kj::refcounted<BufferPool>(options.pooled_bytes_max)),
        connections_(*this) {
    accepting_ = accept_all();
  }

  unsigned port() { return listener_->getPort(); }
  std::size_t connection_count() const { return count_; }
  std::uint64_t refused_count() const { return refused_; }
  void stop_accepting() {
    accepting_ = nullptr;
    listener_ = nullptr;
  }
  kj::Promise<void> drained() { return connections_.onEmpty(); }

 private:
  kj::Promise<void> accept_all() {
    kj::Promise<void> loop = accept_loop();
    return loop.eagerlyEvaluate([this](kj::Exception&& e) {
      log_.error("rpc", "the accept loop ended: " + from_exception(e).message);
    });
  }

  Task<void> accept_loop() {
    while (true) {
      auto accepted = co_await settle(listener_->accept());
      if (accepted.ok()) {
        admit(kj::mv(*accepted));
        continue;
      }
      // Most likely out of file descriptors: those who are connected go on.
      log_.warning("rpc", "accept: " + accepted.error().message);
      co_await timer_.afterDelay(to_duration(kAcceptPause));
    }
  }

  void admit(kj::Own<kj::AsyncIoStream> stream) {
    if (count_ >= options_.connections_max) {
      ++refused_;
      log_.warning("rpc", "refused " + peer_name(*stream) + ": all " +
                              std::to_string(options_.connections_max) + " connections are taken");
      return;
    }
    ++count_;
    connections_.add(serve(kj::mv(stream)));
  }

  Task<void> serve(kj::Own<kj::AsyncIoStream> stream) {
    KJ_DEFER(--count_);
    PeerInfo peer;
    peer.connection = ++last_connection_;
    peer.address = peer_name(*stream);
    tune_for_rpc(*stream, options_.unacknowledged_max);
    if (options_.tls != nullptr) {
      auto secured = co_await accept_tls(kj::mv(stream), *options_.tls, timer_);
      peer.fingerprint = secured->peer_fingerprint();
      stream = kj::mv(secured);
    }
    capnp::Capability::Client bootstrap = bootstrap_(peer);
    RpcSession session(kj::mv(stream), *pool_, options_.messages, options_.fds_per_message_max,
                       capnp::rpc::twoparty::Side::SERVER, kj::mv(bootstrap));
    session.rpc().setFlowLimit(options_.flow_limit_bytes / sizeof(capnp::word));
    co_await session.network().onDisconnect();
  }

  void taskFailed(kj::Exception&& failure) override {
    log_.info("rpc", "connection closed: " + from_exception(failure).message);
  }

  kj::Timer& timer_;
  kj::Own<kj::ConnectionReceiver> listener_;
  Bootstrap bootstrap_;
  RpcServerOptions options_;
  Log& log_;
  kj::Own<BufferPool> pool_;
  std::size_t count_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t last_connection_ = 0;
  kj::TaskSet connections_;
  kj::Promise<void> accepting_ = nullptr;
};

RpcServer::RpcServer(EventLoop& loop, kj::Own<kj::ConnectionReceiver> listener, Bootstrap bootstrap,
                     RpcServerOptions options, Log& log)
    : impl_(std::make_unique<Impl>(loop, kj::mv(listener), std::move(bootstrap), options, log)) {}
RpcServer::~RpcServer() = default;

unsigned RpcServer::port() const {
  return impl_->port();
}
std::size_t RpcServer::connection_count() const {
  return impl_->connection_count();
}
std::uint64_t RpcServer::refused_count() const {
  return impl_->refused_count();
}
void RpcServer::stop_accepting() {
  impl_->stop_accepting();
}
kj::Promise<void> RpcServer::drained() {
  return impl_->drained();
}

}  // namespace penstock::net
