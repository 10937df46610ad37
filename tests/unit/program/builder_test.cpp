#include "schema/program/builder.h"

#include <doctest/doctest.h>

#include "schema/program/verify.h"

using namespace penstock;
using namespace penstock::program;

namespace {

struct Fixture {
  Program program;
  Builder builder;
  Fixture() : builder(start(program), 0) {}
  static Program& start(Program& program) {
    program.entries.push_back({"main", {}, {}, {}, {}});
    return program;
  }
  ValueId input(std::string name, TensorType type) {
    return builder.try_input(std::move(name), std::move(type)).value();
  }
  Error refused(std::string_view op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    auto result = builder.try_apply(op, inputs, std::move(attributes));
    REQUIRE_FALSE(result.ok());
    return std::move(result).error();
  }
};

TensorType f32(Shape shape) {
  return {DType::f32, std::move(shape)};
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "operands that do not fit are named with their shapes") {
  const ValueId x = input("x", f32({64, 784})), w = input("w", f32({512, 10}));
  CHECK(refused("matmul", {x, w}) ==
        invalid("matmul %2: inner sizes differ: lhs [64,784], rhs [512,10]"));
  CHECK(refused("add", {x, w}) ==
        invalid("add %2: shapes differ: lhs [64,784], rhs [512,10]; broadcast the smaller one"));
}

TEST_CASE_FIXTURE(Fixture, "a batch and a fixed size of equal bound are not the same shape") {
  const ValueId x = input("x", f32({batch(64)})), y = input("y", f32({64}));
  CHECK(refused("add", {x, y}).message ==
        "add %2: shapes differ: lhs [<=64], rhs [64]; broadcast the smaller one");
}

TEST_CASE_FIXTURE(Fixture, "an element type without kernels is refused where it is used") {
  const ValueId x = input("x", {DType::bf16, {3}});
  CHECK(refused("exp", {x}) ==
        Error{ErrorCode::unimplemented, "exp %1: element type bf16 has no kernels yet; use f32"});
  const ValueId y = input("y", f32({3}));
  CHECK(refused("cast", {y}, {{"dtype", DType::f16}}).code == ErrorCode::unimplemented);
}

TEST_CASE_FIXTURE(Fixture, "attributes are filled in, and wrong ones are named") {
  const ValueId x = input("x", f32({2, 3})), w = input("w", f32({3, 4}));
  const ValueId y = builder.apply("matmul", {x, w});
  CHECK(program.entries[0].nodes[0].attributes ==
        Attributes{{"transpose_lhs", false}, {"transpose_rhs", false}});
  CHECK(builder.type(y) == f32({2, 4}));
  CHECK(refused("matmul", {x, w}, {{"transpose_lhs", 1}}).message ==
        "matmul %3: attribute 'transpose_lhs' must be a boolean, not an integer");
  CHECK(refused("matmul", {x, w}, {{"alpha", 1.5}}).message ==
        "matmul %3: there is no attribute 'alpha'");
  CHECK(refused("reduce_sum", {x}).message ==
        "reduce_sum %3: attribute 'dims' is missing; it is a list of integers");
}

TEST_CASE_FIXTURE(Fixture, "an integer stands for a real attribute") {
  builder.apply("constant", {}, {{"value", 2}, {"dtype", DType::f32}});
  CHECK(program.entries[0].nodes[0].attributes.real("value") == 2.0);
}

TEST_CASE_FIXTURE(Fixture, "what does not exist is named") {
  const ValueId x = input("x", f32({3}));
  CHECK(refused("frobnicate", {x}).message == "there is no op 'frobnicate'");
  CHECK(refused("exp", {ValueId{7}}).message == "exp %1: there is no value %7 in the entry");
  CHECK(refused("exp", {ValueId{}}).message == "exp %1: there is no value %-1 in the entry");
  CHECK(refused("exp", {x, x}).message == "exp %1: takes 1 operands, got 2");
  CHECK(builder.try_read("w").error().code == ErrorCode::not_found);
}

TEST_CASE_FIXTURE(Fixture, "names are unique and well formed") {
  input("x", f32({3}));
  CHECK(builder.try_input("x", f32({3})).error().code == ErrorCode::already_exists);
  CHECK(builder.try_input("x y", f32({3})).error().message ==
        "input x y: name 'x y' has a character other than A-Z a-z 0-9 _ . - /");
  CHECK_FALSE(builder.try_input("", f32({3})).ok());
  CHECK_FALSE(builder.try_input(std::string(300, 'a'), f32({3})).ok());
}

TEST_CASE_FIXTURE(Fixture, "an entry has one batch") {
  input("x", f32({batch(64), 3}));
  CHECK(builder.try_input("y", {DType::i32, {batch(32)}}).error().message ==
        "input y: the batch bound of i32[<=32] differs from that of f32[<=64,3]; an entry has "
        "one batch");
}

TEST_CASE_FIXTURE(Fixture, "a variable is read once, and written with its own type") {
  REQUIRE(add_variable(program, {"w", f32({3}), {}, true}).ok());
  const ValueId first = builder.try_read("w").value();
  CHECK(builder.try_read("w").value() == first);
  const ValueId x = input("x", f32({4}));
  CHECK(builder.try_write("w", x).error().message ==
        "write w: the value %1 is f32[4], the variable is f32[3]");
  REQUIRE(builder.try_write("w", builder.apply("exp", {first})).ok());
  CHECK(builder.try_write("w", first).error().code == ErrorCode::already_exists);
}

TEST_CASE("a variable has a static shape, a new name and a size within limits") {
  Program program;
  REQUIRE(add_variable(program, {"w", f32({3}), {}, true}).ok());
  CHECK(add_variable(program, {"w", f32({3}), {}, true}).error().code == ErrorCode::already_exists);
  CHECK_FALSE(add_variable(program, {"v", f32({batch(3)}), {}, true}).ok());
  CHECK_FALSE(add_variable(program, {"v", f32({1 << 20, 1 << 20}), {}, true}).ok());
}

TEST_CASE_FIXTURE(Fixture, "a scalar is spread over a batch, which stays dynamic") {
  const ValueId x = input("x", f32({batch(64), 3}));
  const ValueId y = builder.fill_like(0.5, builder.type(x));
  CHECK(builder.type(y) == f32({batch(64), 3}));
  CHECK(verify(program).ok());
}
