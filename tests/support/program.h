#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace penstock::testing {

/// A program of the build, started by a test and ended with it. With `wait_ready`, `--ready-fd N`
/// is added to its arguments and the line that it writes there is read, within a minute.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments, bool wait_ready = true);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  /// SIGTERM; SIGKILL if it is still there five seconds later.
  ~Program();

  pid_t pid() const { return pid_; }
  const std::string& ready_line() const { return ready_line_; }
  void kill(int signal);

 private:
  pid_t pid_ = -1;
  std::string ready_line_;
};

/// The value of a string field of a flat JSON line; empty if it is not there.
std::string json_text(const std::string& line, const std::string& field);

/// What a finished program printed (standard output) and its exit code.
struct Finished {
  int code = -1;
  std::string output;
};
/// Runs a program to its end, at most `seconds`; past that it is killed and the code is -1.
Finished run_program(const std::vector<std::string>& arguments, int seconds);

/// A program of the build by its name.
std::string built(const std::string& name);

/// A directory of its own under the system's temporary one, removed at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Pids of the children of `parent`, with their program names.
struct ChildInfo {
  pid_t pid = 0;
  std::string name;
};
std::vector<ChildInfo> children_of(pid_t parent);

/// The contents of a small file, such as one of /proc.
std::string read_file(const std::string& path);

}  // namespace penstock::testing
