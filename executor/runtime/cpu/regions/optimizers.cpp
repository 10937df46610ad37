#include <cmath>
#include <cstdint>

#include "executor/runtime/cpu/flush_denormals.h"
#include "executor/runtime/cpu/parallel.h"
#include "executor/runtime/cpu/regions/regions.h"
#include "executor/runtime/cpu/vector_math.h"
#include "executor/runtime/cpu/vectorize.h"

namespace penstock::runtime::cpu {
namespace {

using program::DType;

/// Elements [begin, end) of one parameter. Results may be the operands themselves.
template <class T>
struct SgdBlock {
  const T *param, *grad, *momentum;
  T *param_out, *momentum_out;
  std::int64_t begin, end;
  T learning_rate, factor, weight_decay;
};

template <class T>
PENSTOCK_INLINE void sgd_of(const SgdBlock<T>& b) {
  PENSTOCK_INDEPENDENT
  for (std::int64_t i = b.begin; i < b.end; ++i) {
    const T p = b.param[i];
    const T velocity = b.factor * b.momentum[i] + (b.grad[i] + b.weight_decay * p);
    b.momentum_out[i] = velocity;
    b.param_out[i] = p - b.learning_rate * velocity;
  }
}

/// The scalars are worked out in double once per launch, as torch does.
template <class T>
struct AdamwBlock {
  const T *param, *grad, *m, *v;
  T *param_out, *m_out, *v_out;
  std::int64_t begin, end;
  T keep;       // 1 - learning_rate * weight_decay
  T step_size;  // learning_rate / (1 - beta1^step)
  T root;       // 1 / sqrt(1 - beta2^step)
  T beta1, rest1, beta2, rest2, epsilon;
};

template <class T>
PENSTOCK_INLINE void adamw_of(const AdamwBlock<T>& b) {
  PENSTOCK_INDEPENDENT
  for (std::int64_t i = b.begin; i < b.end; ++i) {
    const T g = b.grad[i];
    const T m = b.beta1 * b.m[i] + b.rest1 * g;
    const T v = b.beta2 * b.v[i] + b.rest2 * g * g;
    b.m_out[i] = m;
    b.v_out[i] = v;
    b.param_out[i] = b.param[i] * b.keep - b.step_size * m / (square_root(v) * b.root + b.epsilon);
  }
}

PENSTOCK_CLONES void sgd_block(const SgdBlock<float>& block) {
  sgd_of(block);
}
PENSTOCK_CLONES void sgd_block_f64(const SgdBlock<double>& block) {
  sgd_of(block);
}
PENSTOCK_CLONES void adamw_block(const AdamwBlock<float>& block) {
  adamw_of(block);
}
PENSTOCK_CLONES void adamw_block_f64(const AdamwBlock<double>& block) {
  adamw_of(block);
}

template <class T>
T* data(const TensorView& view) {
  return reinterpret_cast<T*>(view.data);
}

template <class T>
SgdBlock<T> sgd_setup(const program::Attributes& attributes, const Launch& launch) {
  SgdBlock<T> b{};
  b.param = data<T>(launch.inputs[0]);
  b.grad = data<T>(launch.inputs[1]);
  b.momentum = data<T>(launch.inputs[2]);
  b.param_out = data<T>(launch.outputs[0]);
  b.momentum_out = data<T>(launch.outputs[1]);
  b.learning_rate = static_cast<T>(*data<double>(launch.inputs[3]));
  b.factor = static_cast<T>(attributes.real("momentum"));
  b.weight_decay = static_cast<T>(attributes.real("weight_decay"));
  return b;
}

template <class T>
AdamwBlock<T> adamw_setup(const program::Attributes& attributes, const Launch& launch) {
  const auto step = static_cast<double>(*data<std::int64_t>(launch.inputs[4]));
  const double learning_rate = *data<double>(launch.inputs[5]);
  const double beta1 = attributes.real("beta1"), beta2 = attributes.real("beta2");
  AdamwBlock<T> b{};
  b.param = data<T>(launch.inputs[0]);
  b.grad = data<T>(launch.inputs[1]);
  b.m = data<T>(launch.inputs[2]);
  b.v = data<T>(launch.inputs[3]);
  b.param_out = data<T>(launch.outputs[0]);
  b.m_out = data<T>(launch.outputs[1]);
  b.v_out = data<T>(launch.outputs[2]);
  b.keep = static_cast<T>(1 - learning_rate * attributes.real("weight_decay"));
  b.step_size = static_cast<T>(learning_rate / (1 - std::pow(beta1, step)));
  b.root = static_cast<T>(1 / std::sqrt(1 - std::pow(beta2, step)));
  b.beta1 = static_cast<T>(beta1);
  b.rest1 = static_cast<T>(1 - beta1);
  b.beta2 = static_cast<T>(beta2);
  b.rest2 = static_cast<T>(1 - beta2);
  b.epsilon = static_cast<T>(attributes.real("epsilon"));
  return b;
}

template <class Block, class Run>
void share_out(int threads, const Launch& launch, Block block, const Run& run) {
  parallel_for(threads, launch.outputs[0].elements(), kGrain,
               [&](std::int64_t begin, std::int64_t end) {
                 const FlushDenormals flush;
                 Block part = block;
                 part.begin = begin;
                 part.end = end;
                 run(part);
               });
}

}  // namespace

Status run_sgd(const program::Attributes& attributes, int threads, const Launch& launch) {
  if (launch.outputs[0].dtype == DType::f32) {
    share_out(threads, launch, sgd_setup<float>(attributes, launch), sgd_block);
  } else {
    share_out(threads, launch, sgd_setup<double>(attributes, launch), sgd_block_f64);
  }
  return {};
}

Status run_adamw(const program::Attributes& attributes, int threads, const Launch& launch) {
  if (launch.outputs[0].dtype == DType::f32) {
    share_out(threads, launch, adamw_setup<float>(attributes, launch), adamw_block);
  } else {
    share_out(threads, launch, adamw_setup<double>(attributes, launch), adamw_block_f64);
  }
  return {};
}

}  // namespace penstock::runtime::cpu
