#pragma once

#include <kj/async.h>

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/net/event_loop.h"
#include "base/result.h"

namespace penstock::gateway {

/// How one gateway process runs. Empty addresses are not served.
struct ServiceOptions {
  std::string data_directory;  // identity, ticket key and store; made if missing, mode 0700
  std::string listen;          // "host:port", TLS
  std::string unix_path;       // plain: the socket's permissions (0600) decide who may connect
  std::string http;            // "host:port" of /healthz, plain HTTP
  bool new_key = false;  // issue another administrator key although this is not the first start
};

/// What the operator needs to hand out. Secrets are shown this once.
struct Announcement {
  std::string unix_path;
  std::string address;      // "host:port" really bound
  std::string fingerprint;  // of the certificate on it
  std::string http;
  std::string key;    // administrator's API key: at the first start, or when asked for
  std::string token;  // join token of this start; older ones of earlier starts are revoked
};

/// One line of JSON.
std::string to_json(const Announcement& announcement);

/// A running gateway: store, control plane, shell and its listeners.
/// Threads: the loop's, beside the store's own
class Service {
 public:
  /// Resolves when every listener is open.
  static kj::Promise<kj::Own<Service>> start(net::EventLoop& loop, ServiceOptions options,
                                             const Clock& wall, Log& log);
  virtual ~Service() noexcept(false) = default;
  virtual const Announcement& announcement() const = 0;
};

}  // namespace penstock::gateway
