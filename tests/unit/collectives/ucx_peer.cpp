// One rank of a mesh over UCX, for tests that need real processes:
//   ucx_peer RANK SIZE LEASE EPOCH TRANSPORTS DEADLINE_MS [ELEMENTS]
// Writes its address to descriptor 3 as a line of hex, reads all ranks' addresses from standard
// input, one a line, and connects. Then obeys one word a line and answers each with a line, `ok` or
// the code and text of an error:
//   reduce  an all_reduce of whole numbers, checked element by element
//   wake    waits while another thread calls wake
//   mark    an all_reduce while another thread says that rank 1 has failed
//   close   says goodbye; the last word
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "executor/collectives/transport_communicator.h"
#include "executor/collectives/ucx_transport.h"

using namespace penstock;
using namespace penstock::collectives;

namespace {

constexpr char kHex[] = "0123456789abcdef";

std::string to_hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    text += kHex[static_cast<unsigned char>(c) >> 4];
    text += kHex[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::string from_hex(const std::string& text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(digit(text[i]) * 16 + digit(text[i + 1]));
  return bytes;
}

void say(const std::string& line) {
  const std::string whole = line + "\n";
  if (write(3, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) _exit(9);
}

void say(const Status& status) {
  say(status.ok() ? std::string("ok")
                  : std::string(name(status.error().code)) + " " + status.error().message);
}

Status reduce(Communicator& communicator, std::size_t elements, Instant deadline) {
  std::vector<float> values(elements);
  for (std::size_t i = 0; i < elements; ++i)
    values[i] = static_cast<float>(i % 1000 + communicator.rank());
  PENSTOCK_TRY(communicator.all_reduce(std::as_writable_bytes(std::span<float>(values)),
                                       {.tag = 1, .deadline = deadline}));
  const std::size_t ranks = communicator.size();
  for (std::size_t i = 0; i < elements; ++i) {
    const auto right = static_cast<float>(i % 1000 * ranks + ranks * (ranks - 1) / 2);
    if (values[i] != right)
      return Error{ErrorCode::data_loss, "element " + std::to_string(i) + " is " +
                                             std::to_string(values[i]) + ", not " +
                                             std::to_string(right)};
  }
  return {};
}

Status wait_to_be_woken(Transport& transport, const Clock& clock, Nanoseconds limit) {
  const Instant deadline = clock.now() + limit;
  std::thread waker([&] { transport.wake(); });
  transport.idle(deadline);
  waker.join();
  if (clock.now() < deadline) return {};
  return Error{ErrorCode::deadline_exceeded, "nobody woke the wait"};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const MonotonicClock clock;
  UcxOptions options;
  options.rank = static_cast<Rank>(std::atoi(argv[1]));
  options.size = static_cast<Rank>(std::atoi(argv[2]));
  options.lease = LeaseId{std::strtoull(argv[3], nullptr, 10)};
  options.epoch = Epoch{std::strtoull(argv[4], nullptr, 10)};
  options.transports = argv[5];
  const Nanoseconds limit = std::chrono::milliseconds(std::atoi(argv[6]));
  const std::size_t elements = argc > 7 ? std::strtoull(argv[7], nullptr, 10) : 1000;

  auto transport = UcxTransport::open(options, clock);
  if (!transport.ok()) return say(transport.error()), 1;
  say(to_hex((*transport)->address()));
  std::vector<std::string> addresses(options.size);
  std::string line;
  for (auto& address : addresses) {
    if (!std::getline(std::cin, line)) return 3;
    address = from_hex(line);
  }
  const Status connected = (*transport)->connect(addresses, clock.now() + limit);
  say(connected);
  if (!connected.ok()) return 1;
  auto communicator = make_communicator(**transport, clock);
  while (std::getline(std::cin, line)) {
    if (line == "reduce") say(reduce(**communicator, elements, clock.now() + limit));
    if (line == "wake") say(wait_to_be_woken(**transport, clock, limit));
    if (line == "mark") {
      std::thread supervisor([&] { (*transport)->mark_failed(1, "its host lost power"); });
      say(reduce(**communicator, elements, clock.now() + limit));
      supervisor.join();
    }
    if (line == "close") return say((*transport)->close(clock.now() + limit)), 0;
  }
  return 0;
}
