#include "executor/agent/agent_options.h"

#include <unistd.h>

namespace penstock::executor {

std::string trace_path_of(const std::string& path, std::uint32_t device) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  const std::string number = "." + std::to_string(device);
  return has_ending ? path.substr(0, dot) + number + path.substr(dot) : path + number;
}

std::vector<std::string> worker_command(const AgentOptions& options, std::uint32_t device) {
  std::vector<std::string> command{options.worker_path,
                                   "--agent-fd",
                                   std::to_string(kWorkerAgentFd),
                                   "--parent",
                                   std::to_string(::getpid()),
                                   "--device",
                                   std::to_string(device),
                                   "--threads",
                                   std::to_string(options.threads),
                                   "--memory",
                                   std::to_string(options.memory_bytes),
                                   "--backend",
                                   options.backend};
  const auto add = [&](const char* name, const std::string& value) {
    if (value.empty()) return;
    command.emplace_back(name);
    command.push_back(value);
  };
  add("--listen", options.listen_host);
  if (!options.state_directory.empty()) add("--unix-dir", options.state_directory + "/lanes");
  if (!options.trace_path.empty()) add("--trace", trace_path_of(options.trace_path, device));
  command.insert(command.end(), options.worker_arguments.begin(), options.worker_arguments.end());
  return command;
}

}  // namespace penstock::executor
