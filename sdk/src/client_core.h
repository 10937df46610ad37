#pragma once

#include <memory>
#include <string>

#include "base/net/address.h"
#include "base/net/identity.h"
#include "base/net/rpc_client.h"
#include "penstock/client.h"
#include "schema/wire/gateway.capnp.h"
#include "sdk/src/loop_thread.h"
#include "sdk/src/pool_processes.h"

namespace penstock::detail {

/// A folder for sockets and state that only we may enter; removed with its content at the end.
class PrivateFolder {
 public:
  /// Errors: unavailable naming the place
  static Result<std::unique_ptr<PrivateFolder>> make();
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// What a Client and its leases share: the thread, the connection, the session.
/// Threads: any but the loop's, except as noted
class ClientCore final {
 public:
  static Result<std::shared_ptr<ClientCore>> connect(const net::Address& address,
                                                     const std::string& key, Nanoseconds deadline);
  static Result<std::shared_ptr<ClientCore>> local(const LocalOptions& options);
  ClientCore(const ClientCore&) = delete;
  ClientCore& operator=(const ClientCore&) = delete;
  ~ClientCore();

  LoopThread& thread() { return *thread_; }
  const net::Identity& identity() const { return identity_; }
  const std::string& account() const { return account_; }
  /// Threads: the loop's
  wire::Session::Client session() { return wire_->session; }

 private:
  struct Wire {
    kj::Own<net::RpcConnection> connection;
    wire::Session::Client session;
  };
  ClientCore() = default;
  Status log_in(const net::Address& address, const std::string& key, Nanoseconds deadline);
  net::Task<std::string> open(net::Address address, std::string key, Nanoseconds deadline);

  std::unique_ptr<PrivateFolder> folder_;  // of a local pool
  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<PoolProcesses> pool_;  // of a local pool
  net::Identity identity_;
  std::string account_;
  std::unique_ptr<Wire> wire_;  // the loop's
};

}  // namespace penstock::detail
