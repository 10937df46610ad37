#include "tests/support/pool.h"

namespace penstock::testing {

Pool::Pool(PoolOptions options) {
  gateway_ = std::make_unique<Program>(
      std::vector<std::string>{built("penstock-gateway"), "--data", directory_.path() + "/gateway",
                               "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"});
  const std::string& line = gateway_->ready_line();
  key_ = json_text(line, "key");
  fingerprint_ = json_text(line, "fingerprint");
  http_ = json_text(line, "http");
  const std::string address = json_text(line, "address");
  port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  for (unsigned i = 0; i < options.executors; ++i) {
    const std::string name = "host" + std::to_string(i);
    std::vector<std::string> arguments = {built("penstock-agent"),
                                          "--gateway",
                                          url(),
                                          "--token",
                                          json_text(line, "token"),
                                          "--name",
                                          name,
                                          "--devices",
                                          std::to_string(options.devices),
                                          "--threads",
                                          "1",
                                          "--memory",
                                          options.memory,
                                          "--state",
                                          directory_.path() + "/" + name,
                                          "--worker",
                                          built("penstock-worker")};
    arguments.insert(arguments.end(), options.agent_arguments.begin(),
                     options.agent_arguments.end());
    agents_.push_back(std::make_unique<Program>(std::move(arguments)));
  }
}

std::string Pool::url(std::uint16_t port) const {
  return "penstock://127.0.0.1:" + std::to_string(port == 0 ? port_ : port) +
         "?fingerprint=" + fingerprint_;
}

}  // namespace penstock::testing
