#include <doctest/doctest.h>

#include <string>

#include "sdk/cli/connection.h"
#include "sdk/cli/model.h"
#include "sdk/cli/progress_bar.h"

using namespace penstock;
using namespace penstock::cli;

namespace {

Progress half_way() {
  Progress progress{1, 2, 50, 100, {}};
  progress.metrics.loss = 0.51234;
  progress.metrics.metrics = {{"accuracy", 0.8125}};
  progress.metrics.rows_per_second = 12345.6;
  progress.metrics.usage.price = Money{123000};
  progress.metrics.time.total = 10ms;
  progress.metrics.time.compute = 8ms;
  progress.metrics.time.communication = 1ms;
  return progress;
}

}  // namespace

TEST_CASE("the bar shows how far, then what matters most") {
  CHECK(render_bar(half_way(), 200) ==
        "epoch 1/2 [##########..........] 50/100  loss 0.5123  accuracy 0.812  12346 samples/s  "
        "$0.000123  compute 80% comm 10% input 0%");
}

TEST_CASE("a narrow terminal loses parts from the right, and never wraps") {
  for (int columns = 0; columns < 130; ++columns)
    CHECK(render_bar(half_way(), columns).size() <= static_cast<std::size_t>(columns));
  CHECK(render_bar(half_way(), 60) == "epoch 1/2 [##########..........] 50/100  loss 0.5123");
}

TEST_CASE("a bar is empty at the start, full at the end and in bounds beyond") {
  Progress progress = half_way();
  progress.done = 0;
  CHECK(render_bar(progress, 40).find("[....................]") != std::string::npos);
  progress.done = 100;
  CHECK(render_bar(progress, 40).find("[####################]") != std::string::npos);
  progress.done = 1000;
  CHECK(render_bar(progress, 40).find("[####################]") != std::string::npos);
  progress.all = 0;
  CHECK_NOTHROW(render_bar(progress, 40));
}

TEST_CASE("a line of JSON has the numbers as they are") {
  const std::string line = render_json(half_way());
  CHECK(line.find("\"loss\":0.51234,") != std::string::npos);
  CHECK(line.find("\"price_nanos\":123000}") != std::string::npos);
  CHECK(json_string("a\"b\\c\n") == "\"a\\\"b\\\\c\\u000a\"");
}

TEST_CASE("exit codes say what the caller can do") {
  CHECK(exit_code_of({ErrorCode::unavailable, ""}) == ExitCode::no_connection);
  CHECK(exit_code_of({ErrorCode::unauthenticated, ""}) == ExitCode::refused);
  CHECK(exit_code_of({ErrorCode::resource_exhausted, ""}) == ExitCode::refused);
  CHECK(exit_code_of({ErrorCode::internal, ""}) == ExitCode::failed);
}

TEST_CASE("models and optimizers that are not known are refused by name") {
  ModelArguments arguments;
  CHECK(build_model(arguments).loss.shape().empty());
  arguments.model = "transformer";
  CHECK_THROWS_AS(build_model(arguments), Exception);
  arguments.optimizer = "adagrad";
  CHECK_THROWS_AS(build_optimizer(arguments), Exception);
  CHECK_FALSE(parse_lane_kind("fast").ok());
}
