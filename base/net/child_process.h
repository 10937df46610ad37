#pragma once

#include <kj/async.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/net/event_loop.h"
#include "base/result.h"

namespace penstock::net {

/// How a process ended: by its own exit code, or by a signal.
struct ExitStatus {
  int code = 0;    // valid if signal is 0
  int signal = 0;  // what killed it, or 0
  bool success() const { return code == 0 && signal == 0; }
  /// "exit code 3", "killed by signal 9 (KILL)"
  std::string text() const;
  bool operator==(const ExitStatus&) const = default;
};

struct ChildOptions {
  std::vector<std::string> arguments;  // the program first: a path, or a name in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing ours
  std::string directory;                                         // empty: ours

  /// A descriptor of ours that the child gets under a number of its own, 3 or more.
  struct Descriptor {
    int ours = -1;
    int childs = -1;
  };
  std::vector<Descriptor> descriptors;  // beside these the child gets 0 (empty), 1 and 2 only
  std::string stdout_path;              // appended to; empty: ours
  std::string stderr_path;              // appended to; empty: ours; same as stdout_path: one file
};

/// A process that we have started, in a process group of its own. It never outlives this object,
/// and its group never outlives it: the destructor kills and reaps. (If we are killed ourselves,
/// die_with_parent() in the child's main does that.)
/// Threads: the loop's
class ChildProcess final {
 public:
  /// Starts by posix_spawn, which costs the same however large this process has grown.
  /// Errors: not_found or permission_denied if the program cannot be run; invalid_argument
  static Result<std::unique_ptr<ChildProcess>> spawn(EventLoop& loop, const ChildOptions& options);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const;
  /// When it has ended; any number of waits, before or after.
  kj::Promise<ExitStatus> exited();
  /// Sends `signal_number` to the process. Does nothing once it has ended.
  void kill(int signal_number);

 private:
  class Impl;
  explicit ChildProcess(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// For a child's main: asks the kernel to kill this process when the thread that started it ends.
/// Errors: failed_precondition if `parent` is gone already
Status die_with_parent(pid_t parent);

}  // namespace penstock::net
