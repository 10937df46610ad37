#pragma once

#include <capnp/rpc-twoparty.h>
#include <kj/async-io.h>

#include <optional>

#include "base/net/message_stream.h"

namespace penstock::net {

/// The stack of one connection, either side: stream, messages, network, capabilities.
class RpcSession {
 public:
  RpcSession(kj::Own<kj::AsyncIoStream> stream, BufferPool& pool, const MessageLimits& limits,
             unsigned fds_per_message_max, capnp::rpc::twoparty::Side side,
             kj::Maybe<capnp::Capability::Client> bootstrap);

  capnp::RpcSystem<capnp::rpc::twoparty::VatId>& rpc() { return rpc_; }
  capnp::TwoPartyVatNetwork& network() { return network_; }
  /// What the peer offers.
  capnp::Capability::Client peer_bootstrap();

 private:
  kj::Own<kj::AsyncIoStream> stream_;
  MessageStream messages_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc_;
};

}  // namespace penstock::net
