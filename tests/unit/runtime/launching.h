#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "executor/runtime/cpu/cpu_backend.h"
#include "executor/runtime/extents.h"
#include "schema/program/op.h"

namespace penstock::runtime {

template <class T>
constexpr program::DType kDType = program::DType::f32;
template <>
inline constexpr program::DType kDType<double> = program::DType::f64;
template <>
inline constexpr program::DType kDType<std::int32_t> = program::DType::i32;
template <>
inline constexpr program::DType kDType<std::int64_t> = program::DType::i64;
template <>
inline constexpr program::DType kDType<std::uint8_t> = program::DType::u8;

/// A tensor of a test: values, shape, and the strides it is read with.
template <class T>
struct Tensor {
  std::vector<std::int64_t> extents;
  std::vector<T> values;
  program::DType dtype = kDType<T>;

  Tensor(std::vector<std::int64_t> shape, std::vector<T> data)
      : extents(std::move(shape)), values(std::move(data)) {}
  explicit Tensor(std::vector<std::int64_t> shape) : extents(std::move(shape)) {
    values.resize(static_cast<std::size_t>(view().elements()));
  }
  TensorView view() {
    return dense_view(reinterpret_cast<std::byte*>(values.data()), dtype, extents);
  }
  /// Read as `shape` with these strides: 0 where broadcast.
  TensorView strided(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
    TensorView v = dense_view(reinterpret_cast<std::byte*>(values.data()), dtype, shape);
    for (std::size_t i = 0; i < strides.size(); ++i) v.strides[i] = strides[i];
    return v;
  }
};

/// One launch on a CPU device, with 4 MiB of scratch unless said otherwise.
class Launcher {
 public:
  explicit Launcher(int threads = 1) : backend_({.threads = threads, .memory_bytes = 1 << 20}) {}

  Status kernel(program::Kernel kernel, const program::Attributes& attributes,
                std::vector<TensorView> inputs, std::vector<TensorView> outputs) {
    return launch(compiler::KernelCall{kernel, attributes}, std::move(inputs), std::move(outputs));
  }
  Status region(std::string_view op, const program::Attributes& attributes,
                std::vector<TensorView> inputs, std::vector<TensorView> outputs) {
    return launch(compiler::RegionCall{*program::find_op(op), attributes}, std::move(inputs),
                  std::move(outputs));
  }
  CpuBackend& backend() { return backend_; }
  void scratch_bytes(std::size_t bytes) { scratch_.resize(bytes); }
  void batch_size(std::int64_t rows) { batch_size_ = rows; }

 private:
  template <class Call>
  Status launch(Call call, std::vector<TensorView> inputs, std::vector<TensorView> outputs) {
    compiler::Instruction instruction;
    instruction.call = std::move(call);
    Launch launch;
    launch.instruction = &instruction;
    launch.inputs = inputs;
    launch.outputs = outputs;
    launch.scratch = scratch_;
    launch.batch_size = batch_size_;
    return backend_.launch(launch);
  }
  CpuBackend backend_;
  std::vector<std::byte> scratch_ = std::vector<std::byte>(4 << 20);
  std::int64_t batch_size_ = 0;
};

/// Values that are not alike: k/16 for small whole k, which f32 adds and multiplies exactly.
template <class T>
Tensor<T> wavy(std::vector<std::int64_t> shape, int phase = 0) {
  Tensor<T> t(std::move(shape));
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    const int k = static_cast<int>((i * 37 + static_cast<std::size_t>(phase) * 11) % 61) - 30;
    t.values[i] = static_cast<T>(k / 16.0);
  }
  return t;
}

}  // namespace penstock::runtime
