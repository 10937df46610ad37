#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>

using namespace penstock;

namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return invalid("half: " + std::to_string(n) + " is odd");
  return n / 2;
}

Result<int> quarter(int n) {
  PENSTOCK_ASSIGN(const int once, half(n));
  PENSTOCK_ASSIGN(const int twice, half(once));
  return twice;
}

}  // namespace

TEST_CASE("a result carries its value") {
  CHECK(quarter(12).value() == 3);
}

TEST_CASE("the first error ends the chain and keeps its text") {
  const auto result = quarter(6);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error() == Error{ErrorCode::invalid_argument, "half: 3 is odd"});
}

TEST_CASE("an error seen from further out names the place first") {
  CHECK(invalid("inner sizes differ").in("matmul %7").message == "matmul %7: inner sizes differ");
}

TEST_CASE("a result moves what it owns") {
  Result<std::unique_ptr<int>> owner = std::make_unique<int>(4);
  std::unique_ptr<int> taken = std::move(owner).value();
  CHECK(*taken == 4);
}

TEST_CASE("every error code has a name that reads back") {
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    CHECK(parse_error_code(name(code)) == code);
  }
  CHECK_FALSE(parse_error_code("no_such_code").has_value());
}
