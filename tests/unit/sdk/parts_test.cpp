#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <thread>

#include "penstock/future.h"
#include "penstock/ops.h"
#include "penstock/report.h"
#include "penstock/tensor.h"
#include "sdk/src/call_inputs.h"
#include "sdk/src/call_window.h"
#include "sdk/src/gateway_address.h"
#include "sdk/src/graph.h"
#include "sdk/src/metrics_meter.h"
#include "sdk/src/pool_processes.h"

using namespace penstock;
using namespace penstock::detail;

namespace {

const std::string kDigits(64, 'a');

Surroundings surroundings(std::map<std::string, std::string> variables,
                          std::map<std::string, std::string> files = {}) {
  return {[variables](const std::string& name) -> std::optional<std::string> {
            const auto at = variables.find(name);
            if (at == variables.end()) return std::nullopt;
            return at->second;
          },
          [files](const std::string& path) -> Result<std::string> {
            const auto at = files.find(path);
            if (at == files.end()) return Error{ErrorCode::not_found, path};
            return at->second;
          }};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a tensor keeps what it was made of, and shares it in rows and other shapes") {
  const Tensor t(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, -1});
  CHECK(t.text() == "f32[3,2]");
  CHECK(t.rows(1, 3).to_vector<float>() == std::vector<float>{3, 4, 5, 6});
  CHECK(t.rows(1, 3).bytes().data() == t.bytes().data() + 8);
  CHECK(t.reshape({6}).shape() == Extents{6});
  CHECK(Tensor(2.5).item() == 2.5);
  CHECK(Tensor(std::int64_t{7}).shape().empty());
  CHECK(Tensor::zeros(i32, {2, 0}).size() == 0);
  CHECK(Tensor().size() == 0);
}

TEST_CASE("a tensor refuses shapes, rows and element types that are not its own") {
  CHECK_THROWS_AS(Tensor(std::vector<float>{1, 2, 3}, {2, 2}), Exception);
  CHECK_THROWS_AS(Tensor(std::vector<float>{1, 2, 3}, {2, -1}), Exception);
  CHECK_THROWS_AS(Tensor(std::vector<float>{1, 2}, {-1, -1}), Exception);
  CHECK_THROWS_AS(Tensor(std::vector<float>{1, 2}, {-2, -1}), Exception);
  const Tensor t(std::vector<float>{1, 2});
  CHECK_THROWS_AS(t.view<double>(), Exception);
  CHECK_THROWS_AS(t.item(), Exception);
  CHECK_THROWS_AS(t.rows(1, 3), Exception);
}

TEST_CASE("a future gives its value to every copy, and its error as an exception") {
  Promise<int> promise("step");
  const Future<int> future = promise.future();
  CHECK_FALSE(future.ready());
  std::thread other([&] { promise.fill(7); });
  CHECK(future.get() == 7);
  CHECK(Future<int>(future).get() == 7);
  other.join();
  Promise<int> failing("step");
  failing.fill(invalid("no"));
  CHECK_THROWS_AS(failing.future().get(), Exception);
  CHECK(failing.future().try_get().error().message == "no");
}

TEST_CASE("a deadline names the call and leaves it under way") {
  Promise<int> promise("evaluate");
  const Future<int> future = promise.future();
  const auto late = future.try_get(1ms);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code == ErrorCode::deadline_exceeded);
  CHECK(late.error().message ==
        "evaluate: no answer within 1 ms; the call goes on, wait again to get it");
  promise.fill(1);
  CHECK(future.get() == 1);
}

TEST_CASE("a promise that is dropped cancels its future; no future is no hang") {
  Future<int> future;
  CHECK(future.try_get().error().code == ErrorCode::failed_precondition);
  { future = Promise<int>("step").future(); }
  CHECK(future.try_get().error().code == ErrorCode::cancelled);
}

TEST_CASE("the window covers the round trip with room against jitter, within its bounds") {
  const WindowLimits limits;
  CHECK(window_size({0ms, 1ms}, limits) == 2);
  CHECK(window_size({50ms, 1ms}, limits) == 77);  // 2 + 1.5 * 50
  CHECK(window_size({50ms, 100ms}, limits) == 3);
  CHECK(window_size({10s, 1us}, limits) == 256);
  CHECK(window_size({}, limits) == 8);  // nothing measured yet
  CHECK(window_size({}, {.calls_min = 2, .calls_max = 4}) == 4);
}

TEST_CASE("the window is bounded in bytes, but one large call may go alone") {
  const WindowLimits limits{.bytes_max = 100};
  CHECK(window_admits(1, 60, 40, 8, limits));
  CHECK_FALSE(window_admits(1, 60, 41, 8, limits));
  CHECK(window_admits(0, 0, 1000, 8, limits));
  CHECK_FALSE(window_admits(8, 0, 1, 8, limits));
}

TEST_CASE("the meter believes the least round trip and a moving mean of the step") {
  LinkMeter meter;
  CHECK(meter.times().step.count() == 0);
  meter.add_round_trip(50ms);
  meter.add_round_trip(40ms);
  meter.add_round_trip(90ms);
  CHECK(meter.times().round_trip == 40ms);
  for (int i = 0; i < 200; ++i) meter.add_round_trip(60ms);
  CHECK(meter.times().round_trip == 60ms);  // the old ones are forgotten
  meter.add_step(8ms);
  meter.add_step(16ms);
  CHECK(meter.times().step == 9ms);  // 8 + (16 - 8) / 8
}

TEST_CASE("calls are numbered from 1, wait for room, and all fail after the first error") {
  CallWindow window({.calls_min = 2, .calls_max = 2});
  CHECK(window.enter(1, 1s, "step").value() == 1);
  CHECK(window.enter(1, 1s, "step").value() == 2);
  const auto full = window.enter(1, 1ms, "step");
  CHECK(full.error().code == ErrorCode::deadline_exceeded);
  std::thread other([&] { window.leave(1); });
  CHECK(window.enter(1, 10s, "step").value() == 3);
  other.join();
  window.fail({ErrorCode::internal, "rank 1 is gone"});  // with every place still taken
  CHECK(window.enter(1, 10s, "step").error().message == "rank 1 is gone");
  window.fail({ErrorCode::internal, "later"});
  window.leave(1);
  window.leave(1);
  CHECK(window.drain(1s, "finish").error().message == "rank 1 is gone");
}

TEST_CASE("a call's inputs are checked against the entry before they are sent") {
  Program net;
  net.input("x", f32, {batch(4), 3});
  net.input("y", i32, {batch(4)});
  net.input("scale", f32, {});
  const program::Program& program = GraphAccess::graph(net).program;
  const auto call = [&](Tensors inputs) { return check_inputs(program, "main", inputs); };
  const Tensor x3 = Tensor::zeros(f32, {3, 3}), y3 = Tensor::zeros(i32, {3});
  CHECK(call({{"x", x3}, {"y", y3}, {"scale", Tensor(1.0F)}}).value() == 3);
  CHECK(
      contains(call({{"x", x3}, {"scale", Tensor(1.0F)}}).error().message, "input 'y' is missing"));
  CHECK(
      call({{"x", x3}, {"y", Tensor::zeros(i32, {2})}, {"scale", Tensor(1.0F)}}).error().message ==
      "entry main: input 'y' has 2 rows, another has 3");
  CHECK(call({{"x", Tensor::zeros(f32, {5, 3})}, {"y", y3}, {"scale", Tensor(1.0F)}})
            .error()
            .message == "entry main: input 'x' is f32[5,3], the program wants f32[<=4,3]");
  CHECK_FALSE(call({{"x", x3}, {"y", y3}, {"scale", Tensor(1.0)}}).ok());
  CHECK_FALSE(call({{"x", Tensor::zeros(f32, {0, 3})}, {"y", y3}, {"scale", Tensor(1.0F)}}).ok());
  CHECK(contains(call({{"x", x3}, {"y", y3}, {"scale", Tensor(1.0F)}, {"z", y3}}).error().message,
                 "no input 'z'; it has x, y, scale"));
  CHECK(check_inputs(program, "other", {}).error().code == ErrorCode::not_found);
}

TEST_CASE("the gateway comes from the options, the environment or the known gateways") {
  const std::string url = "penstock://host:7070?fingerprint=" + kDigits;
  CHECK(gateway_address(url, surroundings({})).value().fingerprint == kDigits);
  CHECK(gateway_address("", surroundings({{"PENSTOCK_URL", url}})).value().port == 7070);
  CHECK(gateway_address("unix:/run/penstock", surroundings({})).value().path == "/run/penstock");
  const auto known = surroundings(
      {{"HOME", "/home/u"}},
      {{"/home/u/.config/penstock/known_gateways",
        "# mine\nother:1 " + std::string(64, 'b') + "\nhost:7070 " + kDigits + " # ours\n"}});
  CHECK(gateway_address("penstock://host:7070", known).value().fingerprint == kDigits);
  const auto chosen = surroundings({{"PENSTOCK_FINGERPRINT_FILE", "/f"}, {"HOME", "/home/u"}},
                                   {{"/f", kDigits + "\n"}});
  CHECK(gateway_address("penstock://any:1", chosen).value().fingerprint == kDigits);
}

TEST_CASE("a missing gateway, fingerprint or key says what to set") {
  CHECK(contains(gateway_address("", surroundings({})).error().message, "PENSTOCK_URL"));
  const auto none = gateway_address("penstock://host:7070", surroundings({{"HOME", "/home/u"}}));
  CHECK(contains(none.error().message, "?fingerprint="));
  CHECK(contains(none.error().message, "/home/u/.config/penstock/known_gateways"));
  const auto broken = surroundings({{"PENSTOCK_FINGERPRINT_FILE", "/f"}}, {{"/f", "host:7070 zz"}});
  CHECK(contains(gateway_address("penstock://host:7070", broken).error().message, "/f: line 1"));
  CHECK(contains(api_key("", surroundings({})).error().message, "PENSTOCK_KEY"));
  CHECK(api_key("", surroundings({{"PENSTOCK_KEY", "psk_1"}})).value() == "psk_1");
  CHECK_FALSE(gateway_address("host:port:x", surroundings({})).ok());
}

TEST_CASE("a gateway's ready line gives its parts, and none without a token") {
  const auto ready = parse_gateway_ready(
      R"({"unix":"/p","address":"","fingerprint":"aa","key":"psk_1","token":"pjt_2"})");
  REQUIRE(ready.ok());
  CHECK(ready->unix_path == "/p");
  CHECK(ready->key == "psk_1");
  CHECK(ready->token == "pjt_2");
  CHECK_FALSE(parse_gateway_ready("{}").ok());
  CHECK_FALSE(parse_gateway_ready("gateway: cannot listen").ok());
  CHECK_FALSE(parse_gateway_ready(R"({"token":7})").ok());
}

TEST_CASE("missing programs are named with the folder where they were looked for") {
  const auto found = find_binaries("/nonexistent");
  CHECK(found.error().code == ErrorCode::not_found);
  CHECK(contains(found.error().message, "/nonexistent"));
  CHECK(contains(found.error().message, "PENSTOCK_BIN_DIR"));
}

TEST_CASE("metrics add up times and prices, and average the latest losses") {
  MetricsMeter meter;
  MetricsMeter::Sample sample;
  sample.time.total = 10ms;
  sample.usage.price = Money{5};
  sample.trained_rows = 64;
  for (int i = 1; i <= 2; ++i) {
    sample.step = static_cast<std::uint64_t>(i);
    sample.scalars = {{"loss", static_cast<double>(i)}, {"accuracy", 0.5}};
    meter.add(sample, Instant{i * 10'000'000});
  }
  const Metrics metrics = meter.read();
  CHECK(metrics.steps == 2);
  CHECK(metrics.rows == 128);
  CHECK(metrics.loss == 1.5);
  CHECK(metrics.metrics.at("accuracy") == 0.5);
  CHECK(metrics.usage.price == Money{10});
  CHECK(metrics.rows_per_second == doctest::Approx(6400));  // 128 rows in 20 ms
}

TEST_CASE("a bill prints every line with its unit and the total") {
  std::ostringstream out;
  out << Bill{
      {{"cpu device time", 2'000'000'000, "ns", Money{2000}}, {"bytes in", 1536, "B", Money{1}}},
      {},
      Money{2001},
      "USD"};
  CHECK(contains(out.str(), "cpu device time"));
  CHECK(contains(out.str(), "2 s"));
  CHECK(contains(out.str(), "1.5 KiB"));
  CHECK(contains(out.str(), "USD"));
}
