// Times the kernels of one training step of an MLP and of a convolutional net, and prints what
// their sum allows in images per second. Usage: penstock_bench_kernels [threads] On one thread the
// times are CPU time, which a busy machine does not stretch.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/extents.h"
#include "schema/program/op.h"

namespace {

using namespace penstock;
using namespace penstock::runtime;
using program::Attributes;
using program::DType;
using program::Kernel;
using Sizes = std::vector<std::int64_t>;

constexpr int kRepeats = 15;

double now(int threads) {
  timespec at{};
  ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) * 1e-9;
}

/// A tensor with memory of its own, filled with small values.
struct Buffer {
  std::vector<std::byte> bytes;
  TensorView view;
};

class Step {
 public:
  Step(std::string name, int threads, std::int64_t images)
      : name_(std::move(name)),
        images_(images),
        threads_(threads),
        backend_({.threads = threads, .memory_bytes = 1 << 20}) {}

  TensorView tensor(Sizes shape, DType dtype = DType::f32) {
    auto buffer = std::make_unique<Buffer>();
    buffer->view = dense_view(nullptr, dtype, shape);
    const std::int64_t n = buffer->view.elements();
    buffer->bytes.resize(static_cast<std::size_t>(n * program::size_of(dtype)) + 64);
    std::byte* const start = buffer->bytes.data();
    buffer->view.data = start + (64 - reinterpret_cast<std::uintptr_t>(start) % 64) % 64;
    if (dtype == DType::f32) {
      auto* values = reinterpret_cast<float*>(buffer->view.data);
      for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 17 - 8) / 64;
    }
    buffers_.push_back(std::move(buffer));
    return buffers_.back()->view;
  }

  void kernel(const std::string& label, Kernel kernel, const Attributes& attributes,
              const std::vector<TensorView>& inputs, const TensorView& output, double flop = 0) {
    time(label, compiler::KernelCall{kernel, attributes}, inputs, {output}, flop);
  }
  void region(const std::string& label, std::string_view op, const Attributes& attributes,
              const std::vector<TensorView>& inputs, const std::vector<TensorView>& outputs) {
    time(label, compiler::RegionCall{*program::find_op(op), attributes}, inputs, outputs, 0);
  }
  void finish() const {
    std::printf("%s: %.3f ms for %lld images, %.0f images/s\n\n", name_.c_str(), total_ * 1e3,
                static_cast<long long>(images_), static_cast<double>(images_) / total_);
  }

 private:
  template <class Call>
  void time(const std::string& label, Call call, const std::vector<TensorView>& inputs,
            const std::vector<TensorView>& outputs, double flop) {
    compiler::Instruction instruction;
    instruction.call = std::move(call);
    Launch launch;
    launch.instruction = &instruction;
    launch.inputs = inputs;
    launch.outputs = outputs;
    launch.scratch = scratch_;
    std::vector<double> seconds;
    for (int i = 0; i < kRepeats; ++i) {
      const double begin = now(threads_);
      backend_.launch(launch).value();
      seconds.push_back(now(threads_) - begin);
    }
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[kRepeats / 2];
    total_ += median;
    double bytes = 0;
    for (const auto* views : {&inputs, &outputs}) {
      for (const TensorView& v : *views) {
        bytes += static_cast<double>(v.elements() * program::size_of(v.dtype));
      }
    }
    std::printf("  %-28s %8.3f ms  (min %.3f)  %6.1f GFLOP/s  %5.1f GB/s\n", label.c_str(),
                median * 1e3, seconds[0] * 1e3, flop / median / 1e9, bytes / median / 1e9);
  }

  std::string name_;
  std::int64_t images_;
  int threads_;
  CpuBackend backend_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
  std::vector<std::byte> scratch_ = std::vector<std::byte>(32 << 20);
  double total_ = 0;
};

TensorView row_broadcast(TensorView bias, const TensorView& like) {
  bias.strides = {};
  bias.strides[static_cast<std::size_t>(like.rank - 1)] = 1;
  bias.rank = like.rank;
  bias.extents = like.extents;
  return bias;
}

Attributes transposed(bool lhs, bool rhs) {
  return {{"transpose_lhs", lhs}, {"transpose_rhs", rhs}};
}

void adamw(Step& step, const std::string& label, const Sizes& shape) {
  const Attributes options = {
      {"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}, {"weight_decay", 0.01}};
  const TensorView p = step.tensor(shape), g = step.tensor(shape), m = step.tensor(shape),
                   v = step.tensor(shape), count = step.tensor({}, DType::i64),
                   rate = step.tensor({}, DType::f64);
  for (std::int64_t i = 0; i < v.elements(); ++i) reinterpret_cast<float*>(v.data)[i] = 0.01f;
  *reinterpret_cast<std::int64_t*>(count.data) = 1;
  *reinterpret_cast<double*>(rate.data) = 1e-3;
  step.region(label, "adamw", options, {p, g, m, v, count, rate}, {p, m, v});
}

enum class Needs { input_gradient, no_input_gradient };
enum class Then { relu, nothing };

/// Forward, backward and update of one linear layer.
void linear(Step& step, const std::string& name, const Sizes& nkm, Needs needs, Then then) {
  const std::int64_t n = nkm[0], k = nkm[1], m = nkm[2];
  const double flop = 2.0 * static_cast<double>(n * k * m);
  const TensorView x = step.tensor({n, k}), w = step.tensor({k, m}), b = step.tensor({m}),
                   y = step.tensor({n, m}), g = step.tensor({n, m}), dw = step.tensor({k, m}),
                   dx = step.tensor({n, k});
  step.kernel(name + " forward", Kernel::contract_matmul, transposed(false, false), {x, w}, y,
              flop);
  step.kernel(name + " bias", Kernel::map_add, {}, {y, row_broadcast(b, y)}, y);
  if (then == Then::relu) {
    step.kernel(name + " relu", Kernel::map_relu, {}, {y}, y);
    step.kernel(name + " relu gradient", Kernel::map_relu_gradient, {}, {y, g}, g);
  }
  step.kernel(name + " bias gradient", Kernel::reduce_sum, {{"dims", Sizes{0}}}, {g}, b);
  step.kernel(name + " dW", Kernel::contract_matmul, transposed(true, false), {x, g}, dw, flop);
  if (needs == Needs::input_gradient) {
    step.kernel(name + " dX", Kernel::contract_matmul, transposed(false, true), {g, w}, dx, flop);
  }
  adamw(step, name + " adamw W", {k, m});
  adamw(step, name + " adamw b", {m});
}

void loss(Step& step, std::int64_t n, std::int64_t classes) {
  const TensorView x = step.tensor({n, classes}), labels = step.tensor({n}, DType::i64),
                   losses = step.tensor({n}), dx = step.tensor({n, classes});
  step.region("cross entropy", "cross_entropy", {}, {x, labels}, {losses});
  step.region("cross entropy gradient", "cross_entropy_gradient", {}, {x, labels, losses}, {dx});
}

/// 3x3 convolution, bias, relu, 2x2 max pooling, and all their gradients.
void convolution(Step& step, const std::string& name, const Sizes& nhco, Needs needs) {
  const std::int64_t n = nhco[0], h = nhco[1], c = nhco[2], o = nhco[3];
  const double flop = 2.0 * static_cast<double>(n * h * h * c * o * 9);
  const Attributes same = {{"strides", Sizes{1, 1}}, {"padding", Sizes{1, 1, 1, 1}}};
  const Attributes halve = {
      {"window", Sizes{2, 2}}, {"strides", Sizes{2, 2}}, {"padding", Sizes{0, 0, 0, 0}}};
  const TensorView x = step.tensor({n, h, h, c}), f = step.tensor({3, 3, c, o}),
                   b = step.tensor({o}), y = step.tensor({n, h, h, o}),
                   g = step.tensor({n, h, h, o}), p = step.tensor({n, h / 2, h / 2, o}),
                   df = step.tensor({3, 3, c, o}), dx = step.tensor({n, h, h, c});
  step.kernel(name + " forward", Kernel::convolve_forward, same, {x, f}, y, flop);
  step.kernel(name + " bias", Kernel::map_add, {}, {y, row_broadcast(b, y)}, y);
  step.kernel(name + " relu", Kernel::map_relu, {}, {y}, y);
  step.kernel(name + " pool", Kernel::window_max, halve, {y}, p);
  step.kernel(name + " pool gradient", Kernel::window_max_gradient, halve, {y, p}, g);
  step.kernel(name + " relu gradient", Kernel::map_relu_gradient, {}, {y, g}, g);
  step.kernel(name + " bias gradient", Kernel::reduce_sum, {{"dims", Sizes{0, 1, 2}}}, {g}, b);
  step.kernel(name + " filter gradient", Kernel::convolve_filter_gradient, same, {x, g}, df, flop);
  if (needs == Needs::input_gradient) {
    step.kernel(name + " input gradient", Kernel::convolve_input_gradient, same, {g, f}, dx, flop);
  }
  adamw(step, name + " adamw filter", {3, 3, c, o});
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  {
    Step mlp("MLP 784-512-256-10, batch 128", threads, 128);
    linear(mlp, "fc1", {128, 784, 512}, Needs::no_input_gradient, Then::relu);
    linear(mlp, "fc2", {128, 512, 256}, Needs::input_gradient, Then::relu);
    linear(mlp, "fc3", {128, 256, 10}, Needs::input_gradient, Then::nothing);
    loss(mlp, 128, 10);
    mlp.finish();
  }
  Step cnn("conv32-conv64-fc128, batch 128", threads, 128);
  convolution(cnn, "conv1", {128, 28, 1, 32}, Needs::no_input_gradient);
  convolution(cnn, "conv2", {128, 14, 32, 64}, Needs::input_gradient);
  linear(cnn, "fc1", {128, 3136, 128}, Needs::input_gradient, Then::relu);
  linear(cnn, "fc2", {128, 128, 10}, Needs::input_gradient, Then::nothing);
  loss(cnn, 128, 10);
  cnn.finish();
  return 0;
}
