#include <doctest/doctest.h>

#include <numeric>
#include <set>
#include <vector>

#include "penstock/text_data.h"

using namespace penstock;
using penstock::data::Text;

namespace {

/// 0, 1, 2, .. so that a window tells where it is from.
Text counted(std::int32_t size) {
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(size));
  std::iota(tokens.begin(), tokens.end(), 0);
  return Text(std::move(tokens));
}

}  // namespace

TEST_CASE("windows in order cover a text once, and targets are the next tokens") {
  const Text text = counted(22);  // two windows of 10 and one token that nothing follows
  CHECK(text.windows(10) == 2);
  const auto first = text.in_order(0, 1, 10), second = text.in_order(1, 1, 10);
  CHECK(first.tokens.to_vector<std::int32_t>().front() == 0);
  CHECK(first.targets.to_vector<std::int32_t>().back() == 10);
  CHECK(second.tokens.to_vector<std::int32_t>().front() == 10);
  CHECK(text.in_order(0, 5, 10).rows == 2);  // a short last batch
  CHECK_THROWS_AS(text.in_order(2, 1, 10), Exception);
}

TEST_CASE("random windows depend on seed and step alone, and reach the text's end") {
  const Text text = counted(40);
  CHECK(text.random(3, 4, 8, 1).tokens.to_vector<std::int32_t>() ==
        text.random(3, 4, 8, 1).tokens.to_vector<std::int32_t>());
  CHECK(text.random(3, 4, 8, 1).tokens.to_vector<std::int32_t>() !=
        text.random(4, 4, 8, 1).tokens.to_vector<std::int32_t>());
  CHECK(text.random(3, 4, 8, 1).tokens.to_vector<std::int32_t>() !=
        text.random(3, 4, 8, 2).tokens.to_vector<std::int32_t>());
  std::int32_t last = 0;
  for (std::int64_t step = 0; step < 200; ++step) {
    const auto batch = text.random(step, 4, 8);
    const auto tokens = batch.tokens.to_vector<std::int32_t>();
    const auto targets = batch.targets.to_vector<std::int32_t>();
    for (std::size_t i = 0; i < tokens.size(); ++i) CHECK(targets[i] == tokens[i] + 1);
    last = std::max(last, targets.back());
  }
  CHECK(last == 39);
}

TEST_CASE("the windows of different steps have nothing to do with one another") {
  const Text text = counted(1'000'000);
  std::set<std::int32_t> starts;
  for (std::int64_t step = 0; step < 50; ++step) {
    const auto tokens = text.random(step, 12, 64).tokens.to_vector<std::int32_t>();
    for (std::size_t row = 0; row < 12; ++row) starts.insert(tokens[row * 64]);
  }
  CHECK(starts.size() >= 598);  // of 600; by chance two meet once in six such runs
}

TEST_CASE("a text that cannot be learnt from is refused with the numbers") {
  CHECK_THROWS_WITH_AS(Text({7}), doctest::Contains("1 tokens"), Exception);
  CHECK_THROWS_WITH_AS(Text({7, -1}), doctest::Contains("token 1 is -1"), Exception);
  CHECK_THROWS_WITH_AS(counted(8).random(0, 1, 8), doctest::Contains("8 tokens from 8"), Exception);
  CHECK_THROWS_WITH_AS(counted(8).part(3, 9), doctest::Contains("of 8 tokens"), Exception);
  CHECK(Text::bytes_of("/nowhere").error().code == ErrorCode::not_found);
}
