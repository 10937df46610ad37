#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace penstock::testing {

struct PoolOptions {
  unsigned devices = 2;
  unsigned executors = 1;
  std::string memory = "1GiB";
  std::vector<std::string> agent_arguments = {};
};

/// A gateway on a TCP port of 127.0.0.1 and its agents, as real processes.
class Pool {
 public:
  explicit Pool(PoolOptions options = {});

  const std::string& key() const { return key_; }
  const std::string& fingerprint() const { return fingerprint_; }
  const std::string& http() const { return http_; }
  std::uint16_t port() const { return port_; }
  /// As a client would dial it; another port stands for a proxy in front.
  std::string url(std::uint16_t port = 0) const;
  pid_t gateway_pid() const { return gateway_->pid(); }
  Program& agent(std::size_t index) { return *agents_[index]; }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Program> gateway_;
  std::vector<std::unique_ptr<Program>> agents_;
  std::string key_, fingerprint_, http_;
  std::uint16_t port_ = 0;
};

}  // namespace penstock::testing
