// The same program with and without the fuse stage, bit for bit, and in place. The maps are exact
// ones: a vectorised tanh may differ in the last place between a full vector and the end of a row.
#include <doctest/doctest.h>

#include <cstring>
#include <map>

#include "base/clock.h"
#include "executor/compiler/pipeline.h"
#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/runner.h"

using namespace penstock;

namespace {

using Values = std::map<std::string, std::vector<std::byte>>;

/// Runs `entry` twice on rows of a fixed pattern; all outputs and variables.
Values run_twice(const std::string& text, std::int64_t rows, int threads, bool fused) {
  const MonotonicClock clock;
  runtime::CpuBackend backend(
      runtime::CpuBackend::Options{.threads = threads, .memory_bytes = 64 << 20});
  compiler::CompileOptions options;
  if (!fused) options.off = {"fuse"};
  program::Plan plan;
  plan.mesh.axes = {{"data", 1, false}};
  auto compiled = compiler::compile(text, plan, backend, options);
  REQUIRE_MESSAGE(compiled.ok(), compiled.error().message);
  const compiler::Executable executable = std::move(compiled).value();
  const auto& entry = *executable.find_entry("main");
  int fused_calls = 0;
  for (const auto& segment : entry.segments)
    for (const auto& instruction : segment.instructions)
      fused_calls += std::holds_alternative<compiler::FusedCall>(instruction.call) ? 1 : 0;
  CHECK((fused_calls > 0) == fused);
  auto runner = runtime::Runner::create({.executable = executable,
                                         .rank = 0,
                                         .backend = &backend,
                                         .collectives = nullptr,
                                         .clock = &clock})
                    .value();
  Values out;
  for (int call = 0; call < 2; ++call) {
    for (const auto& port : entry.inputs) {
      const auto bytes = runner->port_bytes(port, rows);
      for (std::size_t i = 0; i < bytes.size() / 4; ++i) {
        const float value = static_cast<float>((i * 37 + 11) % 101) / 50.0F - 1.0F;
        std::memcpy(bytes.data() + i * 4, &value, 4);
      }
    }
    REQUIRE(runner->run("main", {.batch_size = rows, .observe = {}}).ok());
    for (const auto& port : entry.outputs) {
      const auto bytes = runner->port_bytes(port, rows);
      out[port.name + std::to_string(call)] = {bytes.begin(), bytes.end()};
    }
  }
  for (const auto& slot : executable.variables) {
    const auto bytes = runner->variable(slot.global.name).value();
    out[slot.global.name] = {bytes.begin(), bytes.end()};
  }
  return out;
}

void check_same(const std::string& text, std::int64_t rows) {
  const Values apart = run_twice(text, rows, 1, false);
  CHECK(run_twice(text, rows, 1, true) == apart);
  CHECK(run_twice(text, rows, 2, true) == apart);
}

std::string with(const std::string& variables, const std::string& lines) {
  return "penstock program 1\nseed 3\n" + variables + "entry main {\n" + lines + "}\n";
}

}  // namespace

TEST_CASE("a chain over rows, columns and scalars that are repeated") {
  // Columns around a tile of 1024 elements, and rows of which a tile holds several.
  for (const int columns : {1, 7, 300, 1024, 1025, 2500})
    for (const std::int64_t rows : {1, 2, 64}) {
      CAPTURE(columns);
      const std::string c = std::to_string(columns);
      const std::string type = "f32[<=64," + c + "]";
      check_same(
          with("variable bias: f32[" + c + "] uniform(-1.0, 1.0)\n",
               "  %0: " + type + " = input x\n  %1: f32[" + c + "] = read bias\n  %2: " + type +
                   " = broadcast(%1) {dims=[1], dynamic_dim=0, shape=[64," + c +
                   "]}\n  %3: " + type + " = add(%0, %2)\n  %4: " + type +
                   " = relu(%3)\n  %5: f32[<=64] = reduce_sum(" + "%0) {dims=[1]}\n  %6: " + type +
                   " = broadcast(%5) {dims=[0], dynamic_dim=0, shape=[64," + c +
                   "]}\n  %7: " + type + " = multiply(%4, %6)\n  %8: bool[<=64," + c +
                   "] = greater(%7, %0)\n  %9: " + type + " = select(%8, %7, %3)\n" +
                   "  output y = %9\n  output mask = %8\n"),
          rows);
    }
}

TEST_CASE("variables take their new values in the pass that reads the old ones") {
  // Both new values read both old ones: neither may be written too early.
  check_same(with("variable a: f32[1500] uniform(-1.0, 1.0)\nvariable b: f32[1500] "
                  "uniform(-1.0, 1.0)\n",
                  "  %0: f32[1500] = input x\n  %1: f32[1500] = read a\n  %2: f32[1500] = read b\n"
                  "  %3: f32[1500] = add(%1, %2)\n  %4: f32[1500] = multiply(%3, %0)\n"
                  "  %5: f32[1500] = subtract(%1, %4)\n  %6: f32[1500] = multiply(%5, %2)\n"
                  "  write a = %4\n  write b = %6\n  output s = %3\n"),
             0);
}
