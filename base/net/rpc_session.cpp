#include "base/net/rpc_session.h"

#include <kj/debug.h>

namespace penstock::net {

namespace {

MessageStream make_messages(kj::AsyncIoStream& stream, BufferPool& pool,
                            const MessageLimits& limits, unsigned fds_per_message_max) {
  if (fds_per_message_max == 0) return MessageStream(stream, pool, limits);
  auto* with_fds = dynamic_cast<kj::AsyncCapabilityStream*>(&stream);
  KJ_REQUIRE(with_fds != nullptr, "file descriptors travel over plain Unix sockets only");
  return MessageStream(*with_fds, pool, limits);
}

}  // namespace

RpcSession::RpcSession(kj::Own<kj::AsyncIoStream> stream, BufferPool& pool,
                       const MessageLimits& limits, unsigned fds_per_message_max,
                       capnp::rpc::twoparty::Side side,
                       kj::Maybe<capnp::Capability::Client> bootstrap)
    : stream_(kj::mv(stream)),
      messages_(make_messages(*stream_, pool, limits, fds_per_message_max)),
      network_(messages_, fds_per_message_max, side, receive_options(limits)),
      rpc_(network_, kj::mv(bootstrap)) {}

capnp::Capability::Client RpcSession::peer_bootstrap() {
  capnp::MallocMessageBuilder message;
  auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
  vat.setSide(network_.getSide() == capnp::rpc::twoparty::Side::CLIENT
                  ? capnp::rpc::twoparty::Side::SERVER
                  : capnp::rpc::twoparty::Side::CLIENT);
  return rpc_.bootstrap(vat);
}

}  // namespace penstock::net
