#include <doctest/doctest.h>

#include "tests/support/program.h"

using namespace penstock::testing;

TEST_CASE("the matmul sample gives the product") {
  CHECK(run_program({built("sample_matmul"), "--local", "--quick"}, 60).code == 0);
}

TEST_CASE("the MLP sample trains") {
  CHECK(run_program({built("sample_fashion_mlp"), "--local", "--quick"}, 120).code == 0);
}

TEST_CASE("the convnet sample trains") {
  CHECK(run_program({built("sample_fashion_convnet"), "--local", "--quick"}, 120).code == 0);
}

TEST_CASE("the GPT sample learns from a text") {
  // The licence is a text that every clone has.
  CHECK(run_program({built("sample_text_gpt"), "--local", PENSTOCK_DOCS "/../LICENSE", "20"}, 120)
            .code == 0);
}
