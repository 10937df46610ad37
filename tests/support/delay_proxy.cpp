#include "tests/support/delay_proxy.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <list>
#include <string>
#include <vector>

#include "base/check.h"

namespace penstock::testing {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kHeldBytesMax = 256 << 20;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void make_prompt(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

struct Piece {
  SteadyClock::time_point due;
  std::string bytes;
};

// One direction of one connection.
struct Pipe {
  int from = -1, to = -1;
  std::deque<Piece> held;
  std::size_t held_bytes = 0;
  bool ended = false;   // `from` sends no more
  bool broken = false;  // `to` takes no more

  bool wants_read() const { return !ended && held_bytes < kHeldBytesMax; }
  bool due(SteadyClock::time_point now) const { return !held.empty() && held.front().due <= now; }

  void take(SteadyClock::time_point due_at) {
    char buffer[1 << 16];
    const ssize_t n = read(from, buffer, sizeof buffer);
    if (n > 0) {
      held.push_back({due_at, std::string(buffer, static_cast<std::size_t>(n))});
      held_bytes += static_cast<std::size_t>(n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      ended = true;
    }
  }

  void give(SteadyClock::time_point now) {
    while (due(now)) {
      std::string& bytes = held.front().bytes;
      const ssize_t n = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0) {
        broken = errno != EAGAIN && errno != EINTR;
        return;
      }
      held_bytes -= static_cast<std::size_t>(n);
      if (static_cast<std::size_t>(n) < bytes.size()) {
        bytes.erase(0, static_cast<std::size_t>(n));
        return;
      }
      held.pop_front();
    }
    if (ended && held.empty()) shutdown(to, SHUT_WR);
  }
};

struct Link {
  Pipe up, down;
  bool over() const {
    return up.broken || down.broken ||
           (up.ended && down.ended && up.held.empty() && down.held.empty());
  }
};

}  // namespace

DelayProxy::DelayProxy(std::uint16_t target_port, std::chrono::milliseconds delay)
    : target_port_(target_port), delay_(delay) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  PENSTOCK_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), length) == 0);
  PENSTOCK_CHECK(listen(listener_, 16) == 0);
  PENSTOCK_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this]() { run(); });
}

DelayProxy::~DelayProxy() {
  stop_ = true;
  thread_.join();
  close(listener_);
}

void DelayProxy::run() {
  std::list<Link> links;
  while (!stop_) {
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    auto wake = SteadyClock::now() + std::chrono::milliseconds(50);
    for (Link& link : links) {
      for (Pipe* pipe : {&link.up, &link.down}) {
        if (pipe->wants_read()) watched.push_back({pipe->from, POLLIN, 0});
        if (!pipe->held.empty()) wake = std::min(wake, pipe->held.front().due);
      }
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(wake - SteadyClock::now()).count();
    const timespec span{0, std::max<long>(0, left) * 1000};
    ppoll(watched.data(), watched.size(), &span, nullptr);
    const auto now = SteadyClock::now();
    if (watched[0].revents != 0) {
      const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = loopback(target_port_);
      if (client >= 0 &&
          connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
        make_prompt(client);
        make_prompt(server);
        Link link;
        link.up.from = link.down.to = client;
        link.up.to = link.down.from = server;
        links.push_back(std::move(link));
      } else {
        close(client);
        close(server);
      }
    }
    for (auto link = links.begin(); link != links.end();) {
      for (Pipe* pipe : {&link->up, &link->down}) {
        if (pipe->wants_read()) pipe->take(now + delay_);
        pipe->give(now);
      }
      if (link->over()) {
        close(link->up.from);
        close(link->up.to);
        link = links.erase(link);
      } else {
        ++link;
      }
    }
  }
  for (Link& link : links) {
    close(link.up.from);
    close(link.up.to);
  }
}

}  // namespace penstock::testing
