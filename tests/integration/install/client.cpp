#include <penstock/penstock.h>

#include <iostream>

namespace ps = penstock;

int main() {
  auto client = ps::Client::try_local({.devices = 2});
  if (!client.ok()) return std::cerr << client.error().message << "\n", 1;
  ps::Lease lease = client->lease({.devices = 2});
  ps::Program net;
  const auto x = net.input("x", ps::f32, {ps::batch(4), 2});
  const auto w = net.variable("w", ps::f32, {2, 1}, ps::init::constant(2));
  net.output("y", ps::matmul(x, w));
  ps::Executable executable = lease.load(net);
  const auto result = executable.run({{"x", ps::Tensor(std::vector<float>{1, 2, 3, 4}, {2, 2})}});
  const auto y = result.get()["y"].to_vector<float>();
  if (y != std::vector<float>{6, 14}) return 1;
  const auto wrong = executable.try_run({{"x", ps::Tensor(1.0F)}});
  if (wrong.ok() || wrong.error().code != ps::ErrorCode::invalid_argument) return 1;
  try {
    executable.read("nothing");
    return 1;
  } catch (const ps::Exception& exception) {
    std::cout << "as expected: " << exception.what() << "\n";
  }
  std::cout << lease.release();
}
