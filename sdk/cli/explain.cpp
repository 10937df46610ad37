#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "schema/program/text.h"
#include "sdk/cli/connection.h"
#include "sdk/cli/model.h"
#include "sdk/src/plan.h"
#include "sdk/src/pool_processes.h"

extern char** environ;

namespace penstock::cli {
namespace {

/// A folder for the texts, gone at the end.
class Scratch {
 public:
  Scratch() {
    if (mkdtemp(path_.data()) == nullptr)
      throw Exception({ErrorCode::unavailable, "explain: cannot make a folder in /tmp"});
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_ = "/tmp/penstock-explain-XXXXXX";
};

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Exception({ErrorCode::not_found, "explain: cannot read " + path});
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

program::Program program_of(const ExplainArguments& arguments) {
  if (!arguments.program.empty())
    return value_or_throw(program::parse(read_text(arguments.program)));
  const Model model = build_model(arguments.model);
  return detail::training_program(model.loss, {{"accuracy", model.accuracy}},
                                  build_optimizer(arguments.model));
}

int run_program(const std::vector<std::string>& arguments) {
  std::vector<char*> raw;
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  pid_t pid = 0;
  if (posix_spawn(&pid, raw[0], nullptr, nullptr, raw.data(), environ) != 0)
    throw Exception({ErrorCode::not_found, "explain: cannot start " + arguments[0]});
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

ExitCode run_explain(const ExplainArguments& arguments) {
  const program::Program program = program_of(arguments);
  const Scratch scratch;
  std::string plan = arguments.plan;
  if (plan.empty())
    plan = scratch.write("plan", program::print(value_or_throw(detail::data_plan(
                                     program, {.devices = arguments.model.devices,
                                               .micro_batches = arguments.model.micro}))));
  const std::string folder = value_or_throw(detail::find_binaries(""));
  std::vector<std::string> command = {
      folder + "/penstock-worker",
      "explain",
      "--program",
      scratch.write("program", program::print(program)),
      "--plan",
      plan,
      "--memory",
      std::to_string(value_or_throw(parse_bytes(arguments.memory)))};
  if (!arguments.stage.empty()) command.insert(command.end(), {"--stage", arguments.stage});
  return run_program(command) == 0 ? ExitCode::ok : ExitCode::failed;
}

}  // namespace penstock::cli
