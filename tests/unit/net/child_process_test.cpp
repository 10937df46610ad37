#include "base/net/child_process.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <kj/io.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "loop_fixture.h"
#include "temporary_directory.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

std::unique_ptr<ChildProcess> spawn(EventLoop& loop, const ChildOptions& options) {
  auto child = ChildProcess::spawn(loop, options);
  REQUIRE_MESSAGE(child.ok(), (child.ok() ? "" : child.error().message));
  return std::move(*child);
}

ChildOptions shell(const std::string& script) {
  ChildOptions options;
  options.arguments = {"sh", "-c", script};
  return options;
}

std::string content(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool exists(pid_t pid) {
  return ::kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace

TEST_CASE("a child's exit code is told, before and after it ends") {
  auto loop = make_loop();
  auto child = spawn(*loop, shell("exit 3"));
  CHECK(wait_for(*loop, child->exited()) == ExitStatus{3, 0});
  CHECK(wait_for(*loop, child->exited()).text() == "exit code 3");
}

TEST_CASE("a killed child says which signal killed it") {
  auto loop = make_loop();
  auto child = spawn(*loop, shell("sleep 1000"));
  child->kill(SIGTERM);
  CHECK(wait_for(*loop, child->exited()).text() == "killed by signal 15 (TERM)");
}

TEST_CASE("a program that does not exist is not found") {
  auto loop = make_loop();
  ChildOptions options;
  options.arguments = {"/no/such/program"};
  const auto child = ChildProcess::spawn(*loop, options);
  REQUIRE_FALSE(child.ok());
  CHECK(child.error().code == ErrorCode::not_found);
  CHECK(contains(child.error().message, "/no/such/program"));
}

TEST_CASE("a dropped child is killed and reaped, with what it started") {
  auto loop = make_loop();
  const TemporaryDirectory directory;
  const std::string fifo = directory.path("fifo");
  auto options =
      shell("sleep 1000 & echo $! > " + directory.path("pid") + "; echo > /dev/fd/5; wait");
  kj::AutoCloseFd read_end;
  {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    read_end = kj::AutoCloseFd(ends[0]);
    kj::AutoCloseFd write_end(ends[1]);
    options.descriptors = {{write_end.get(), 5}};
    auto child = spawn(*loop, options);
    const pid_t pid = child->pid();
    write_end = nullptr;
    auto ready = loop->low_level().wrapInputFd(read_end.get());
    char byte = 0;
    CHECK(wait_for(*loop, ready->tryRead(&byte, 1, 1)) == 1);
    CHECK(exists(pid));
    child = nullptr;
    CHECK_FALSE(exists(pid));
    CHECK(::waitpid(pid, nullptr, WNOHANG) == -1);
    // The grandchild held the pipe too: its end is the end of all of them.
    CHECK(wait_for(*loop, ready->tryRead(&byte, 1, 1)) == 0);
  }
}

TEST_CASE("a child sees its own environment, directory and output file") {
  auto loop = make_loop();
  const TemporaryDirectory directory;
  auto options = shell("echo $PENSTOCK_TEST_VALUE; pwd; echo oops >&2");
  options.environment = {{"PENSTOCK_TEST_VALUE", "forty two"}};
  options.directory = directory.path(".");
  options.stdout_path = directory.path("log");
  options.stderr_path = directory.path("log");
  auto child = spawn(*loop, options);
  CHECK(wait_for(*loop, child->exited()).success());
  const std::string text = content(directory.path("log"));
  CHECK(text.substr(0, 10) == "forty two\n");
  CHECK(contains(text, directory.path("").substr(0, directory.path("").size() - 1) + "\n"));
  CHECK(contains(text, "oops\n"));
}

TEST_CASE("a child has the descriptors it was given and no others") {
  auto loop = make_loop();
  const TemporaryDirectory directory;
  int leak = ::open("/dev/null", O_RDONLY);  // without close-on-exec
  kj::AutoCloseFd leaked(leak);
  kj::AutoCloseFd first(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  kj::AutoCloseFd second(
      ::open(directory.path("out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  // `ls` itself opens one more, the directory it lists.
  auto options = shell("echo /proc/self/fd/* >&7");
  // The numbers cross: each is the other's.
  options.descriptors = {{second.get(), 7}, {first.get(), second.get()}};
  auto child = spawn(*loop, options);
  CHECK(wait_for(*loop, child->exited()).success());
  for (int fd : {0, 1, 2, second.get(), 7}) {
    CHECK(contains(content(directory.path("out")), "/fd/" + std::to_string(fd)));
  }
  CHECK_FALSE(contains(content(directory.path("out")) + " ", "/fd/" + std::to_string(leak) + " "));
}

TEST_CASE("a descriptor that is not open is refused") {
  auto loop = make_loop();
  auto options = shell("true");
  options.descriptors = {{999999, 5}};
  CHECK(ChildProcess::spawn(*loop, options).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a parent that has gone already is told at once") {
  CHECK(die_with_parent(1 << 22).error().code == ErrorCode::failed_precondition);
}
