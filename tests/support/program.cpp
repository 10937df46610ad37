#include "tests/support/program.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/check.h"

extern char** environ;

namespace penstock::testing {
namespace {

using SteadyClock = std::chrono::steady_clock;

pid_t spawn(const std::vector<std::string>& arguments, posix_spawn_file_actions_t* actions) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  const int code = posix_spawn(&pid, argv[0], actions, nullptr, argv.data(), environ);
  if (code != 0) throw std::runtime_error("cannot start " + arguments[0]);
  return pid;
}

// Reads until `stop` is satisfied, the writer closes, or the deadline passes.
template <class Stop>
std::string read_until(int fd, SteadyClock::time_point deadline, Stop stop) {
  std::string text;
  while (!stop(text)) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - SteadyClock::now())
            .count();
    if (left <= 0) break;
    pollfd waiting{fd, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) break;
    char buffer[4096];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

// The exit code, or -1 after SIGKILL at the deadline.
int reap(pid_t pid, SteadyClock::time_point deadline) {
  int status = 0;
  for (;;) {
    if (waitpid(pid, &status, WNOHANG) == pid)
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (SteadyClock::now() > deadline) break;
    usleep(5000);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return -1;
}

}  // namespace

Program::Program(std::vector<std::string> arguments, bool wait_ready) {
  int ends[2] = {-1, -1};
  PENSTOCK_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (wait_ready) {
    constexpr int kReady = 200;
    posix_spawn_file_actions_adddup2(&actions, ends[1], kReady);
    arguments.insert(arguments.end(), {"--ready-fd", std::to_string(kReady)});
  }
  pid_ = spawn(arguments, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (wait_ready) {
    ready_line_ = read_until(ends[0], SteadyClock::now() + std::chrono::minutes(1),
                             [](const std::string& text) { return text.ends_with('\n'); });
    if (!ready_line_.ends_with('\n')) {
      close(ends[0]);
      kill(SIGKILL);
      waitpid(pid_, nullptr, 0);
      throw std::runtime_error(arguments[0] + " did not become ready");
    }
  }
  close(ends[0]);
}

Program::~Program() {
  kill(SIGTERM);
  reap(pid_, SteadyClock::now() + std::chrono::seconds(5));
}

void Program::kill(int signal) {
  ::kill(pid_, signal);
}

std::string json_text(const std::string& line, const std::string& field) {
  const std::string key = "\"" + field + "\":\"";
  const auto at = line.find(key);
  if (at == std::string::npos) return {};
  const auto begin = at + key.size();
  return line.substr(begin, line.find('"', begin) - begin);
}

Finished run_program(const std::vector<std::string>& arguments, int seconds) {
  int ends[2] = {-1, -1};
  PENSTOCK_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const pid_t pid = spawn(arguments, &actions);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const auto deadline = SteadyClock::now() + std::chrono::seconds(seconds);
  Finished finished;
  finished.output = read_until(ends[0], deadline, [](const std::string&) { return false; });
  close(ends[0]);
  finished.code = reap(pid, deadline);
  return finished;
}

std::string built(const std::string& name) {
  return std::string(PENSTOCK_TEST_BIN) + "/" + name;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "penstock-test-XXXXXX").string();
  PENSTOCK_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<ChildInfo> children_of(pid_t parent) {
  std::vector<ChildInfo> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = read_file("/proc/" + name + "/stat");
    const auto open = stat.find('('), close = stat.rfind(')');
    if (open == std::string::npos || close == std::string::npos) continue;
    std::istringstream rest(stat.substr(close + 1));
    std::string state;
    pid_t its_parent = 0;
    rest >> state >> its_parent;
    if (its_parent != parent) continue;
    out.push_back({std::stoi(name), stat.substr(open + 1, close - open - 1)});
  }
  return out;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace penstock::testing
