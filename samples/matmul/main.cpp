// One matrix product on a leased device, compared with the same product computed here.
#include <penstock/penstock.h>

#include <cmath>
#include <cstring>
#include <iostream>

namespace ps = penstock;

namespace {

std::vector<float> numbers(std::size_t count, unsigned step) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * step) % 17) / 8.0F - 1.0F;
  return values;
}

/// The largest difference between `c` and a * b, computed in double precision.
double largest_error(const std::vector<float>& a, const std::vector<float>& b,
                     const std::vector<float>& c, std::size_t n) {
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<double>(a[i * n + k]) * static_cast<double>(b[k * n + j]);
      worst = std::max(worst, std::abs(sum - static_cast<double>(c[i * n + j])));
    }
  return worst;
}

int run(bool local, std::size_t n) {
  auto client = local ? ps::Client::local({.devices = 1}) : ps::Client::connect();
  auto lease = client.lease({.devices = 1});

  const auto size = static_cast<std::int64_t>(n);
  ps::Program net;
  const auto a = net.input("a", ps::f32, {size, size});
  const auto b = net.input("b", ps::f32, {size, size});
  net.output("c", ps::matmul(a, b));
  auto executable = lease.load(net);

  const auto left = numbers(n * n, 3), right = numbers(n * n, 5);
  const auto result =
      executable
          .run({{"a", ps::Tensor(left, {size, size})}, {"b", ps::Tensor(right, {size, size})}})
          .get();
  const double error = largest_error(left, right, result["c"].to_vector<float>(), n);
  std::cout << n << " x " << n << " in " << ps::format_duration(result.time.total)
            << "; largest difference " << error << "\n"
            << lease.bill();
  return error < 1e-3 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  bool local = false, quick = false;
  for (int i = 1; i < argc; ++i) {
    local = local || std::strcmp(argv[i], "--local") == 0;
    quick = quick || std::strcmp(argv[i], "--quick") == 0;
  }
  try {
    return run(local, quick ? 64 : 512);
  } catch (const ps::Exception& exception) {
    std::cerr << exception.what() << "\n";
    return 1;
  }
}
