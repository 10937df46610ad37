#include "schema/program/text.h"

#include <doctest/doctest.h>

#include "schema/program/builder.h"

using namespace penstock;
using namespace penstock::program;

namespace {

// Every statement, every kind of attribute, and a node of several results.
constexpr std::string_view kSample = R"(penstock program 1
seed 18446744073709551615
variable fc1.weight: f32[4,3] trainable uniform(-0.5, 0.5)
variable fc1.bias: f32[3] trainable constant(0.0)
variable step: i64[] constant(1.0)
variable noise: f64[2,2] normal(0.1, 1e-05)
entry main {
  %0: f32[<=8,4] = input x
  %1: i32[<=8] = input labels
  %2: f32[4,3] = read fc1.weight
  %3: f32[<=8,3] = matmul(%0, %2) {transpose_lhs=false, transpose_rhs=false}
  %4: f32[3] = read fc1.bias
  %5: f32[<=8,3] = broadcast(%4) {dims=[1], dynamic_dim=0, shape=[8,3]}
  %6: f32[<=8,3] = add(%3, %5)
  %7: f32[<=8] = cross_entropy(%6, %1)
  %8: f32[] = mean(%7) {dims=[0], of=0}
  %9: f64[] = constant() {dtype=f64, value=-inf}
  %10: f64[] = constant() {dtype=f64, value=0.1}
  %11: i64[] = read step
  %12: f32[3], %13: f32[3], %14: f32[3] = adamw(%4, %4, %4, %4, %11, %10) {beta1=0.9, beta2=0.999, epsilon=1e-08, weight_decay=0.01}
  output loss = %8
  output logits = %6
  write fc1.bias = %12
}
entry empty {
}
train main minimize loss with sgd {momentum=0.9, weight_decay=0.0} learning_rate 0.001
)";

Error refusal(std::string_view text) {
  Result<Program> program = parse(text);
  REQUIRE_FALSE(program.ok());
  return std::move(program).error();
}

/// A small program with one line replaced.
std::string with_line(std::string_view line) {
  return "penstock program 1\nseed 7\nvariable w: f32[3] trainable constant(0.0)\nentry main {\n"
         "  %0: f32[3] = input x\n" +
         std::string(line) + "\n}\n";
}

std::string message(std::string_view line) {
  return refusal(with_line(line)).message;
}

}  // namespace

TEST_CASE("the text form reads back to the same text and the same program") {
  const Result<Program> program = parse(kSample);
  REQUIRE_MESSAGE(program.ok(), (program.ok() ? "" : program.error().message));
  CHECK(print(*program) == kSample);
  CHECK(parse(print(*program)).value() == *program);
  CHECK(program->seed == 18446744073709551615u);
  CHECK(program->entries[0].nodes.size() == 8);
  CHECK(program->entries[0].nodes[7].outputs.size() == 3);
}

TEST_CASE("blank lines, comments and spaces do not matter") {
  const std::string loose =
      "# a program\n\n  penstock   program 1   # format\r\n\nseed 7\nentry main{\n\n"
      "%0:f32[2]=input x # pixels\n%1:f32[2]=exp( %0 )\noutput y=%1\n}\n";
  CHECK(print(parse(loose).value()) ==
        "penstock program 1\nseed 7\nentry main {\n  %0: f32[2] = input x\n"
        "  %1: f32[2] = exp(%0)\n  output y = %1\n}\n");
}

TEST_CASE("a newer format is told apart from a damaged one") {
  CHECK(refusal("penstock program 2\nseed 1\n") ==
        Error{ErrorCode::unimplemented,
              "line 1, column 18: program format 2 is not known here; this build reads format 1"});
  CHECK(refusal("").message == "line 1, column 1: the program is empty");
  CHECK(refusal("hello").message == "line 1, column 1: expected 'penstock', got 'hello'");
  CHECK(refusal("penstock program 1\n").message == "line 2, column 1: expected 'seed'");
}

TEST_CASE("an error names line and column") {
  CHECK(message("  %1: f32[3] = frobnicate(%0)") ==
        "line 6, column 16: there is no op 'frobnicate'");
  CHECK(message("  %2: f32[3] = exp(%0)") ==
        "line 6, column 4: values are numbered in order: expected %1");
  CHECK(message("  %1: f32[3] = exp(%1)") == "line 6, column 21: %1 is not defined above");
  CHECK(message("  %1: f32[3] = exp(%0) x") == "line 6, column 24: expected the end of the line");
  CHECK(message("  %1: f32[3] = read v") == "line 6, column 21: there is no variable v above");
  CHECK(message("  %1: q8[3] = exp(%0)").starts_with("line 6, column 7: 'q8[3]' is not a type"));
  CHECK(message("  %1: f32[] = constant() {value=1.0, value=1.0}") ==
        "line 6, column 38: attribute 'value' comes twice");
  CHECK(message("  %1: f32[] = constant() {value=nan, dtype=f32}") ==
        "line 6, column 33: expected a number, got 'nan'");
  CHECK(message("  %1: f32[3] = exp(%0") == "line 6, column 22: expected ','");
  CHECK(message("  output") == "line 6, column 9: expected the output's name");
  CHECK(message("  write w = %99999999999").find("expected an integer") != std::string::npos);
}

TEST_CASE("what parses but does not verify is named by entry and value") {
  CHECK(message("  %1: f32[4] = exp(%0)") ==
        "entry main, exp %1: result %1 is typed f32[4], but it is f32[3]");
}

TEST_CASE("every truncation of a program is refused or read, never worse") {
  int read = 0;
  for (std::size_t size = 0; size < kSample.size(); ++size)
    if (parse(kSample.substr(0, size)).ok()) ++read;
  CHECK(read > 0);                                 // at the ends of some lines
  CHECK(read < static_cast<int>(kSample.size()));  // and nowhere else
}

TEST_CASE("limits stop a text before it is kept") {
  Limits limits;
  limits.text_bytes = 10;
  CHECK(parse(kSample, limits).error().code == ErrorCode::resource_exhausted);
  limits = {};
  limits.nodes_per_entry = 2;
  CHECK(parse(kSample, limits).error().code == ErrorCode::resource_exhausted);
  limits = {};
  limits.variables = 1;
  CHECK(parse(kSample, limits).error().code == ErrorCode::resource_exhausted);
  limits = {};
  limits.name_bytes = 3;
  CHECK_FALSE(parse(kSample, limits).ok());
  CHECK(message("  %1: f32[1,1,1,1,1,1,1,1,1] = input y") ==
        "line 6, column 7: more dimensions than the limit of 8");
  std::string list = "  %1: f32[3] = reduce_sum(%0) {dims=[0";
  for (int i = 0; i < 100; ++i) list += ",0";
  CHECK(message(list + "]}").find("a list has more than 64 items") != std::string::npos);
}

TEST_CASE("a long chain of nodes is read without recursion") {
  std::string text = "penstock program 1\nseed 7\nentry main {\n  %0: f32[3] = input x\n";
  for (int i = 1; i <= 50000; ++i)
    text += "  %" + std::to_string(i) + ": f32[3] = exp(%" + std::to_string(i - 1) + ")\n";
  text += "}\n";
  const Result<Program> program = parse(text);
  REQUIRE(program.ok());
  CHECK(print(*program) == text);
}
