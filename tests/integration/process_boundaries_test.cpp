#include <doctest/doctest.h>
#include <penstock/penstock.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "tests/support/pool.h"
#include "tests/support/program.h"

namespace ps = penstock;
using namespace penstock::testing;

namespace {

// A trainer of a small MLP, and a batch for it.
struct Job {
  ps::Client client;
  ps::Lease lease;
  ps::Trainer trainer;
};

Job start_job(ps::Client client, ps::LeaseOptions options) {
  auto lease = client.lease(options);
  ps::Program net;
  auto x = net.input("x", ps::f32, {ps::batch(64), 784});
  auto y = net.input("y", ps::i32, {ps::batch(64)});
  auto trainer = lease.train(ps::cross_entropy(ps::nn::mlp(net, x, {128, 10}), y));
  return {std::move(client), std::move(lease), std::move(trainer)};
}

void train(ps::Trainer& trainer, int steps) {
  auto batches = ps::data::fashion_mnist().batches(64, {.epochs = 2});
  for (int i = 0; i < steps; ++i) {
    const auto batch = batches.next();
    trainer.step({{"x", batch->images}, {"y", batch->labels}});
  }
  trainer.finish();
}

// Bytes that a process has moved by read and write calls, both ways.
long bytes_moved(pid_t pid) {
  std::istringstream in(read_file("/proc/" + std::to_string(pid) + "/io"));
  std::string field;
  long value = 0, sum = 0;
  while (in >> field >> value)
    if (field == "rchar:" || field == "wchar:") sum += value;
  return sum;
}

}  // namespace

TEST_CASE("a client that trains loads no kernel, collective or compiler library") {
  Job job = start_job(ps::Client::local({.devices = 2}), {.devices = 2});
  train(job.trainer, 20);
  const std::string maps = read_file("/proc/self/maps");
  REQUIRE(maps.find("libcapnp") != std::string::npos);  // the file names what is loaded
  for (const char* library : {"libdnnl", "libopenblas", "libucp", "libgomp"})
    CHECK_MESSAGE(maps.find(library) == std::string::npos, library);
}

TEST_CASE("on the direct lane the gateway moves under 1 MB per 100 steps") {
  Pool pool;
  Job job = start_job(ps::Client::connect({.url = pool.url(), .key = pool.key()}),
                      {.devices = 2, .lane = ps::LaneKind::direct});
  train(job.trainer, 10);
  const long before = bytes_moved(pool.gateway_pid());
  REQUIRE(before > 0);
  train(job.trainer, 100);
  const long direct = bytes_moved(pool.gateway_pid()) - before;
  CHECK(direct < 1000000);
}

TEST_CASE("the relay carries what the direct lane would, through the gateway") {
  Pool pool;
  Job job = start_job(ps::Client::connect({.url = pool.url(), .key = pool.key()}),
                      {.devices = 2, .lane = ps::LaneKind::relay});
  const long before = bytes_moved(pool.gateway_pid());
  train(job.trainer, 100);
  CHECK(bytes_moved(pool.gateway_pid()) - before > 100L * 64 * 784 * 4);
}

TEST_CASE("a local pool is made of children that end with the client") {
  std::vector<ChildInfo> children;
  {
    Job job = start_job(ps::Client::local({.devices = 2}), {.devices = 2});
    children = children_of(getpid());
    REQUIRE(children.size() == 2);  // gateway and agent
    std::size_t workers = 0;
    for (const ChildInfo& child : children) workers += children_of(child.pid).size();
    CHECK(workers >= 2);
  }
  for (const ChildInfo& child : children)
    CHECK(access(("/proc/" + std::to_string(child.pid)).c_str(), F_OK) != 0);
}
