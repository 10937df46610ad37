#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "executor/runtime/cpu/process_limits.h"
#include "executor/runtime/null/null_backend.h"
#include "launching.h"

using namespace penstock;
using namespace penstock::runtime;
using program::Kernel;

namespace {

/// The value of a line of /proc/self/status.
std::string own_status(const std::string& name) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(name + ":", 0) == 0)
      return line.substr(line.find_first_not_of(" \t", name.size() + 1));
  }
  return "";
}

/// Runs `body` in a child process; true if it returned true.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

compiler::Operand operand_at(std::int64_t offset) {
  compiler::Operand operand;
  operand.offset = offset;
  operand.type = {program::DType::f32, {16}};
  return operand;
}

/// A map over 16 floats at the given offsets, on a null device with 256 bytes.
Status null_launch(NullBackend& backend, std::int64_t in, std::int64_t out) {
  compiler::Instruction instruction;
  instruction.call = compiler::KernelCall{Kernel::map_exp, {}};
  instruction.inputs = {operand_at(in)};
  instruction.outputs = {operand_at(out)};
  const TensorView inputs[] = {dense_view(backend.arena() + in, program::DType::f32, {16})};
  const TensorView outputs[] = {dense_view(backend.arena() + out, program::DType::f32, {16})};
  Launch launch;
  launch.instruction = &instruction;
  launch.inputs = inputs;
  launch.outputs = outputs;
  return backend.launch(launch);
}

}  // namespace

TEST_CASE("a device of one thread starts no second one") {
  const std::string before = own_status("Threads");
  Launcher launcher(1);
  Tensor<float> a({512, 512}), b({512, 512}), c({512, 512});
  REQUIRE(launcher
              .kernel(Kernel::contract_matmul, {{"transpose_lhs", false}, {"transpose_rhs", false}},
                      {a.view(), b.view()}, {c.view()})
              .ok());
  REQUIRE(launcher.kernel(Kernel::map_add, {}, {a.view(), b.view()}, {c.view()}).ok());
  CHECK(own_status("Threads") == before);
}

TEST_CASE("an arena larger than the device's memory is refused with both sizes") {
  CpuBackend backend({.threads = 1, .memory_bytes = 1 << 20});
  const Status status = backend.allocate((1 << 20) + 1);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::resource_exhausted);
  CHECK(status.error().message.find("1 MiB") != std::string::npos);
  CHECK(backend.allocate(1 << 20).ok());
  CHECK(backend.arena()[(1 << 20) - 1] == std::byte{0});
}

TEST_CASE("devices take turns over the allowed CPUs") {
  const std::vector<int> allowed = {0, 2, 4, 6};
  CHECK(choose_cpus(allowed, {.threads = 1, .device_index = 0}) == std::vector<int>{0});
  CHECK(choose_cpus(allowed, {.threads = 1, .device_index = 5}) == std::vector<int>{2});
  CHECK(choose_cpus(allowed, {.threads = 2, .device_index = 1}) == std::vector<int>{4, 6});
  CHECK(choose_cpus(allowed, {.threads = 3, .device_index = 1}) == std::vector<int>{0, 2, 6});
  CHECK(choose_cpus(allowed, {.threads = 9, .device_index = 0}) == allowed);
}

TEST_CASE("a bound process may run on its device's CPU alone") {
  CHECK(in_child([] {
    const auto cpus = bind_process_to_cpus({.threads = 1, .device_index = 1});
    return cpus.ok() && cpus->size() == 1 &&
           own_status("Cpus_allowed_list") == std::to_string(cpus->front());
  }));
}

TEST_CASE("a process cannot take more memory than its limit") {
  CHECK(in_child([] {
    const std::size_t bytes = std::size_t{1} << 30;
    if (!limit_process_memory({.device_bytes = 64 << 20, .overhead_bytes = 64 << 20}).ok()) {
      return false;
    }
    void* const block =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED;
  }));
}

TEST_CASE("the null device counts what it is asked to compute") {
  NullBackend backend({.flop_per_second = 1e9, .bytes_per_second = 1e9});
  REQUIRE(backend.allocate(256).ok());
  REQUIRE(null_launch(backend, 0, 64).ok());
  CHECK(backend.counts().launches == 1);
  CHECK(backend.counts().bytes == 128);
  CHECK(backend.counts().flop == 16);
  CHECK(backend.counts().modelled == 128ns);  // 128 bytes at 1 GB/s outlast 16 flop at 1 GFLOP/s
}

TEST_CASE("the null device refuses operands outside of the arena or off their alignment") {
  NullBackend backend({});
  REQUIRE(backend.allocate(256).ok());
  CHECK(null_launch(backend, 0, 192).ok());
  const Status outside = null_launch(backend, 0, 256);
  REQUIRE_FALSE(outside.ok());
  CHECK(outside.error().message == "output 0 at byte 256, 64 bytes, leaves the arena of 256");
  const Status crooked = null_launch(backend, 32, 64);
  REQUIRE_FALSE(crooked.ok());
  CHECK(crooked.error().message == "input 0 starts at byte 32, which is no multiple of 64");
}
