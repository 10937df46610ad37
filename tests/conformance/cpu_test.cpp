// Every op on the cpu backend, through the compiler, against the reference. A region is tried both
// as the backend claims it and inlined.

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "executor/compiler/pipeline.h"
#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/runner.h"
#include "schema/program/builder.h"
#include "schema/program/optimizers.h"
#include "schema/program/text.h"
#include "tests/conformance/example_case.h"

using namespace penstock;
using namespace penstock::conformance;
using program::DType;

namespace {

constexpr std::int64_t kMemory = std::int64_t{256} << 20;

template <class T>
void write_as(const Array& array, std::span<std::byte> bytes) {
  REQUIRE(bytes.size() == array.values.size() * sizeof(T));
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const T value = static_cast<T>(array.values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
}

template <class T>
void read_as(Array& array, std::span<const std::byte> bytes) {
  REQUIRE(bytes.size() == array.values.size() * sizeof(T));
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    array.values[i] = static_cast<double>(value);
  }
}

void write(const Array& array, std::span<std::byte> bytes) {
  switch (array.type.dtype) {
    case DType::f32:
      return write_as<float>(array, bytes);
    case DType::f64:
      return write_as<double>(array, bytes);
    case DType::i32:
      return write_as<std::int32_t>(array, bytes);
    case DType::i64:
      return write_as<std::int64_t>(array, bytes);
    default:
      return write_as<std::uint8_t>(array, bytes);
  }
}

void read(Array& array, std::span<const std::byte> bytes) {
  switch (array.type.dtype) {
    case DType::f32:
      return read_as<float>(array, bytes);
    case DType::f64:
      return read_as<double>(array, bytes);
    case DType::i32:
      return read_as<std::int32_t>(array, bytes);
    case DType::i64:
      return read_as<std::int64_t>(array, bytes);
    default:
      return read_as<std::uint8_t>(array, bytes);
  }
}

/// The case with f32 in place of f64: operands (rounded), attributes and results.
ExampleCase in_f32(const ExampleCase& c) {
  ExampleCase out = c;
  const auto narrow = [](DType& dtype) {
    if (dtype == DType::f64) dtype = DType::f32;
  };
  for (std::size_t i = 0; i < out.operands.size(); ++i) {
    narrow(out.example.operands[i].dtype);
    narrow(out.operands[i].type.dtype);
  }
  // Learning rates stay f64 whatever the parameter is.
  if (program::find_optimizer(c.row->name) != nullptr) {
    out.example.operands.back().dtype = DType::f64;
    out.operands.back().type.dtype = DType::f64;
  }
  for (Array& operand : out.operands)
    if (operand.type.dtype == DType::f32)
      for (double& value : operand.values) value = static_cast<double>(static_cast<float>(value));
  for (const auto& item : c.example.attributes.items())
    if (item.second == program::Attribute(DType::f64))
      out.example.attributes.set(item.first, DType::f32);
  out.declared_results =
      program::infer_types(*c.row, {out.example.operands, out.example.attributes}).value();
  return out;
}

/// A program of one node.
std::string program_text(const ExampleCase& c) {
  program::Program program;
  program.entries.push_back({"main", {}, {}, {}, {}});
  program::Builder builder(program, 0);
  // Where no operand has the batch, an input that nobody reads brings it into the entry.
  bool dynamic = false;
  std::vector<program::ValueId> inputs;
  for (std::size_t i = 0; i < c.example.operands.size(); ++i) {
    dynamic = dynamic || program::dynamic_dim(c.example.operands[i].shape) >= 0;
    inputs.push_back(builder.try_input("x" + std::to_string(i), c.example.operands[i]).value());
  }
  const program::Shape& result = c.declared_results[0].shape;
  if (!dynamic && (c.row->name == "batch_size" || program::dynamic_dim(result) >= 0)) {
    const std::int64_t bound = program::dynamic_dim(result) >= 0 ? result[0].bound : c.rows;
    static_cast<void>(builder.try_input("rows", {DType::u8, {program::batch(bound)}}).value());
  }
  const auto outputs = builder.apply_all(c.row->name, inputs, c.example.attributes);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    REQUIRE(builder.try_output("y" + std::to_string(i), outputs[i]).ok());
  return print(program);
}

/// Compiles as for the backend, but with every region inlined.
class Inlining final : public compiler::Target {
 public:
  explicit Inlining(const compiler::Target& target) : target_(target) {}
  bool claims(program::OpIndex, program::OpInputs) const override { return false; }
  std::int64_t kernel_scratch(program::Kernel kernel, program::OpInputs in,
                              const program::Types& results) const override {
    return target_.kernel_scratch(kernel, in, results);
  }
  std::int64_t region_scratch(program::OpIndex, program::OpInputs) const override { return 0; }
  std::int64_t memory_bytes() const override { return target_.memory_bytes(); }

 private:
  const compiler::Target& target_;
};

std::int64_t batch_of(const program::Program& program, std::int64_t rows) {
  for (const program::ValueInfo& value : program.entries[0].values)
    if (program::dynamic_dim(value.type.shape) >= 0) return rows;
  return 0;
}

enum class Regions { claimed, inlined };

void check_on_cpu(const ExampleCase& c, Regions regions) {
  const std::string text = program_text(c);
  const program::Program program = program::parse(text).value();
  runtime::CpuBackend backend({.threads = 1, .memory_bytes = kMemory});
  const Inlining inlining(backend);
  const compiler::Target& target =
      regions == Regions::inlined ? static_cast<const compiler::Target&>(inlining) : backend;
  compiler::CompileOptions compile;
  compile.off = {"simplify"};  // which would fold some of the nodes that are tried here
  auto executable = compiler::compile(text, compiler::batch_plan(program, 1, 1), target, compile);
  REQUIRE_MESSAGE(executable.ok(), (executable.ok() ? "" : executable.error().message));

  const MonotonicClock clock;
  runtime::Runner::Options options;
  options.executable = std::move(executable).value();
  options.backend = &backend;
  options.clock = &clock;
  const auto runner = runtime::Runner::create(std::move(options)).value();
  const std::int64_t batch = batch_of(program, c.rows);
  const compiler::ExecutableEntry& entry = *runner->executable().find_entry("main");
  for (std::size_t i = 0; i < c.operands.size(); ++i)
    write(c.operands[i], runner->port_bytes(entry.inputs[i], batch));
  const auto ran = runner->run("main", {.batch_size = batch});
  REQUIRE_MESSAGE(ran.ok(), (ran.ok() ? "" : ran.error().message));

  const std::vector<Array> expected =
      evaluate_reference(c.row->name, {c.operands, c.example.attributes, c.rows});
  REQUIRE(entry.outputs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Array want = expected[i], got = zeros(want.type.dtype, want.type.shape);
    read(got, runner->port_bytes(entry.outputs[i], batch));
    const bool narrow = want.type.dtype == DType::f32;
    if (narrow)
      for (double& value : want.values) value = static_cast<double>(static_cast<float>(value));
    CAPTURE(i);
    CHECK(distance(got, want) < (narrow ? 1e-5 : 1e-12));
  }
}

void check_all(const ExampleCase& c) {
  CAPTURE(c.text());
  check_on_cpu(c, Regions::claimed);
  if (c.row->is_region()) check_on_cpu(c, Regions::inlined);
}

bool is_map(const ExampleCase& c) {
  return c.row->kernel && program::name(*c.row->kernel).starts_with("map_");
}

}  // namespace

TEST_CASE("map kernels on the cpu backend compute what the reference does") {
  for (const ExampleCase& c : example_cases()) {
    if (!is_map(c)) continue;
    check_all(c);
    check_all(in_f32(c));
  }
}

TEST_CASE("every other kernel on the cpu backend computes what the reference does") {
  for (const ExampleCase& c : example_cases()) {
    if (is_map(c) || c.row->is_region()) continue;
    check_all(c);
    check_all(in_f32(c));
  }
}

TEST_CASE("regions on the cpu backend, claimed and inlined, compute what the reference does") {
  for (const ExampleCase& c : example_cases()) {
    if (!c.row->is_region()) continue;
    check_all(c);
    check_all(in_f32(c));
  }
}
