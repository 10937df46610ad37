#pragma once

#include <variant>

namespace penstock {

/// Stochastic gradient descent with momentum, as torch.optim.SGD.
struct SGD {
  double learning_rate = 1e-2;
  double momentum = 0;
  double weight_decay = 0;
};

/// Adam with decoupled weight decay, as torch.optim.AdamW.
/// Source: Loshchilov and Hutter, arXiv:1711.05101
struct AdamW {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 1e-2;
};

using Optimizer = std::variant<AdamW, SGD>;

}  // namespace penstock
