#include "schema/program/types.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "schema/program/attributes.h"

using namespace penstock;
using namespace penstock::program;

TEST_CASE("every element type has a name that reads back") {
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    CHECK(parse_dtype(name(dtype)) == dtype);
    CHECK(size_of(dtype) >= 1);
  }
  CHECK_FALSE(parse_dtype("float").has_value());
  CHECK(name(DType::boolean) == "bool");
}

TEST_CASE("a type's text reads back") {
  for (const TensorType& type :
       {TensorType{DType::f32, {batch(64), 784}}, TensorType{DType::i64, {}},
        TensorType{DType::u8, {0, 3}}, TensorType{DType::bf16, {7}}})
    CHECK(parse_type(to_text(type)).value() == type);
  CHECK(to_text(TensorType{DType::f32, {batch(64), 784}}) == "f32[<=64,784]");
  CHECK(to_text(TensorType{DType::i64, {}}) == "i64[]");
}

TEST_CASE("a damaged type is refused with its text") {
  for (const char* text : {"", "f32", "f32[", "f32]", "f33[1]", "f32[1,]", "f32[,1]", "f32[-1]",
                           "f32[1 2]", "f32[1]x", "f32[<1]", "f32[99999999999999999999]"}) {
    CAPTURE(text);
    const Result<TensorType> type = parse_type(text);
    REQUIRE_FALSE(type.ok());
    CHECK(type.error().code == ErrorCode::invalid_argument);
  }
}

TEST_CASE("a shape past the limits is refused before its size overflows") {
  const Limits limits;
  const std::int64_t huge = std::int64_t{1} << 62;
  CHECK(check_shape({3, 5}, limits).ok());
  CHECK(check_shape({0, 5}, limits).ok());
  CHECK_FALSE(check_shape({huge, huge}, limits).ok());
  CHECK_FALSE(check_shape({1 << 20, 1 << 20}, limits).ok());
  CHECK_FALSE(check_shape({-1}, limits).ok());
  CHECK_FALSE(check_shape(Shape(9, Dim(1)), limits).ok());
  CHECK_FALSE(check_shape({batch(3), batch(3)}, limits).ok());
  // A size of 0 does not excuse the others.
  CHECK_FALSE(check_shape({0, huge, huge}, limits).ok());
}

TEST_CASE("a real number's text reads back bit for bit and shows that it is real") {
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(3.0) == "3.0");
  CHECK(to_text(1e300) == "1e+300");
  CHECK(to_text(-std::numeric_limits<double>::infinity()) == "-inf");
  for (const double value : {1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0}) {
    CHECK(std::strtod(to_text(value).c_str(), nullptr) == value);
  }
}
