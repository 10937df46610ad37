#pragma once

#include <string_view>
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

/// Adam with weight decay in the gradient, as torch.optim.Adam.
/// Source: Kingma and Ba, arXiv:1412.6980
struct Adam {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
};

/// The sign of an average of gradients; its learning rate is a tenth to a third of AdamW's.
/// Source: Chen et al., arXiv:2302.06675
struct Lion {
  double learning_rate = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;
};

using Optimizer = std::variant<AdamW, SGD, Adam, Lion>;

/// "adamw", "sgd", "adam" or "lion", with its own learning rate where that is 0.
/// Errors: Exception with not_found listing them
Optimizer optimizer_by_name(std::string_view name, double learning_rate = 0);

}  // namespace penstock
