#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace penstock::testing {

/// Forwards TCP connections from a port of its own to another on 127.0.0.1, and holds every byte
/// back for `delay`, each way. Bandwidth is not limited: only the round trip grows.
class DelayProxy {
 public:
  DelayProxy(std::uint16_t target_port, std::chrono::milliseconds delay);
  DelayProxy(const DelayProxy&) = delete;
  DelayProxy& operator=(const DelayProxy&) = delete;
  ~DelayProxy();

  std::uint16_t port() const { return port_; }

 private:
  void run();

  const std::uint16_t target_port_;
  const std::chrono::milliseconds delay_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace penstock::testing
