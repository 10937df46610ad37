// All-reduce of f32 sums between processes of this machine over UCX.
//
//   bench_all_reduce [ranks] [transports] [chunk bytes] [window] [spin us] [rendezvous from]
//
// Prints a line of JSON per size: the median, fastest and slowest time in microseconds, on rank 0.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "executor/collectives/transport_communicator.h"
#include "executor/collectives/ucx_transport.h"

using namespace penstock;
using namespace penstock::collectives;

namespace {

struct Setup {
  Rank ranks = 2;
  UcxOptions ucx;
  CommunicatorOptions communicator;
};

Setup read_setup(int argc, char** argv) {
  Setup setup;
  if (argc > 1) setup.ranks = static_cast<Rank>(std::atoi(argv[1]));
  if (argc > 2) setup.ucx.transports = argv[2];
  if (argc > 3) setup.communicator.chunk_bytes = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4) setup.communicator.window = static_cast<std::uint32_t>(std::atoi(argv[4]));
  if (argc > 5) setup.ucx.spin = std::chrono::microseconds(std::atoi(argv[5]));
  if (argc > 6) setup.ucx.rendezvous_from = argv[6];
  setup.ucx.size = setup.ranks;
  return setup;
}

/// Each rank's two ends of a pipe pair with the launcher, which only passes addresses round.
struct Wire {
  int in = -1;
  int out = -1;
};

void write_all(int fd, const std::string& bytes) {
  const std::uint64_t size = bytes.size();
  PENSTOCK_CHECK(write(fd, &size, sizeof size) == sizeof size);
  PENSTOCK_CHECK(write(fd, bytes.data(), size) == static_cast<ssize_t>(size));
}

std::string read_all(int fd) {
  std::uint64_t size = 0;
  PENSTOCK_CHECK(read(fd, &size, sizeof size) == sizeof size && size < 65536);
  std::string bytes(size, '\0');
  for (std::uint64_t got = 0; got < size;) {
    const ssize_t n = read(fd, bytes.data() + got, size - got);
    PENSTOCK_CHECK(n > 0);
    got += static_cast<std::uint64_t>(n);
  }
  return bytes;
}

void measure(Communicator& communicator, const Clock& clock, std::uint64_t bytes) {
  std::vector<float> values(bytes / sizeof(float), 1.0f);
  const auto buffer = std::as_writable_bytes(std::span<float>(values));
  const std::size_t repeats = bytes <= 64 * kKiB   ? 2000
                              : bytes <= kMiB      ? 500
                              : bytes <= 16 * kMiB ? 60
                                                   : 20;
  std::vector<double> times;
  for (std::size_t i = 0; i < repeats + 10; ++i) {
    const Instant begin = clock.now();
    communicator
        .all_reduce(buffer, {.type = ElementType::f32,
                             .op = ReduceOp::max,  // values stay as they are, run after run
                             .tag = 1,
                             .deadline = begin + 20s})
        .value();
    const Instant end = clock.now();
    if (i >= 10) times.push_back(static_cast<double>((end - begin).count()) / 1000);
  }
  if (communicator.rank() != 0) return;
  std::sort(times.begin(), times.end());
  std::printf(
      "{\"bench\":\"all_reduce\",\"ranks\":%u,\"bytes\":%llu,\"unit\":\"us\",\"p50\":%.1f,"
      "\"p10\":%.1f,\"p90\":%.1f}\n",
      communicator.size(), static_cast<unsigned long long>(bytes), times[times.size() / 2],
      times[times.size() / 10], times[times.size() * 9 / 10]);
  std::fflush(stdout);
}

int run_rank(Setup setup, Rank rank, Wire wire) {
  const MonotonicClock clock;
  setup.ucx.rank = rank;
  setup.ucx.warm_bytes = setup.communicator.chunk_bytes;
  auto transport = UcxTransport::open(setup.ucx, clock);
  write_all(wire.out, (*transport)->address());
  std::vector<std::string> addresses;
  for (Rank r = 0; r < setup.ranks; ++r) addresses.push_back(read_all(wire.in));
  (*transport)->connect(addresses, clock.now() + 20s).value();
  auto communicator = make_communicator(**transport, clock, setup.communicator);
  for (std::uint64_t bytes = kKiB; bytes <= 64 * kMiB; bytes *= 4)
    measure(**communicator, clock, bytes);
  (*transport)->close(clock.now() + 5s).value();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Setup setup = read_setup(argc, argv);
  std::vector<Wire> wires(setup.ranks);
  // Forked before anything of UCX runs here, and nothing does afterwards either.
  for (Rank r = 0; r < setup.ranks; ++r) {
    int to_rank[2];
    int from_rank[2];
    PENSTOCK_CHECK(pipe(to_rank) == 0 && pipe(from_rank) == 0);
    if (fork() == 0) _exit(run_rank(setup, r, {to_rank[0], from_rank[1]}));
    wires[r] = {from_rank[0], to_rank[1]};
  }
  std::vector<std::string> addresses;
  for (const Wire& wire : wires) addresses.push_back(read_all(wire.in));
  for (const Wire& wire : wires)
    for (const auto& address : addresses) write_all(wire.out, address);
  int failed = 0;
  for (Rank r = 0; r < setup.ranks; ++r) {
    int status = 0;
    wait(&status);
    failed |= status;
  }
  return failed == 0 ? 0 : 1;
}
