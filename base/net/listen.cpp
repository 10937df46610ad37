#include <errno.h>
#include <kj/io.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/net/coroutine.h"
#include "base/net/rpc_server.h"

namespace penstock::net {

namespace {

/// Removes a socket file that nobody listens on any more, as a killed process leaves it.
Status remove_stale_socket(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) {
    return Error{ErrorCode::already_exists, path + " is there and is no socket"};
  }
  kj::AutoCloseFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(probe, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 ||
      errno == EAGAIN) {
    return Error{ErrorCode::already_exists, "another process listens on " + path};
  }
  if (errno == ECONNREFUSED) ::unlink(path.c_str());
  return {};
}

Error listen_error(const Address& address, Error cause) {
  if (cause.message.find("Address already in use") != std::string::npos) {
    cause = {ErrorCode::already_exists, "another process listens there; choose another port"};
  }
  return std::move(cause).in("listen on " + address.dial_text());
}

}  // namespace

kj::Promise<kj::Own<kj::ConnectionReceiver>> listen(EventLoop& loop, const Address& address) {
  if (address.is_unix()) {
    Status removed = remove_stale_socket(address.path);
    if (!removed.ok()) return to_exception(listen_error(address, removed.error()));
  }
  const std::string text = address.dial_text();
  return loop.provider()
      .getNetwork()
      .parseAddress(text.c_str())
      .then([](kj::Own<kj::NetworkAddress> where) { return where->listen(); })
      .catch_([address](kj::Exception&& e) -> kj::Own<kj::ConnectionReceiver> {
        throw_error(listen_error(address, from_exception(e)));
      });
}

}  // namespace penstock::net
