#include <doctest/doctest.h>

#include "tests/support/overlap_run.h"

using namespace penstock;
using namespace penstock::testing;

TEST_CASE("the first bucket is at the peer before the rank's last backward kernel begins") {
  const OverlapResult result = run_overlap({.layers = 8, .width = 256, .steps = 3});
  CHECK(result.first_bucket_bytes > 0);
  CHECK(result.received_before_last_backward >= result.first_bucket_bytes);
  // The count can see the opposite: the last bucket arrives after that kernel.
  CHECK(result.received_in_step > result.received_before_last_backward);
}
