#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/ops.h"

// Layers and models. Channels last; a linear weight is [in, out]; a filter is [kh, kw, in, out].
// Weights and biases start uniform in +-1/sqrt(fan_in), as torch.nn.Linear and Conv2d do.
namespace penstock::nn {

/// Whether a layer declares its variables or uses those that another call has declared (the same
/// model in a second entry).
enum class Weights { create, reuse };

struct LinearOptions {
  std::string name = "fc";  // variables NAME.weight and NAME.bias
  bool bias = true;
  /// Of a normal distribution of the weight, with a bias from 0, instead of torch's uniform one.
  double deviation = 0;
  Weights weights = Weights::create;
};
/// Shapes: x [..,in] -> [..,out]
Value linear(Program& net, const Value& x, std::int64_t out, LinearOptions options = {});

struct Conv2dLayerOptions {
  std::string name = "conv";
  Extent2d kernel = 3;
  Extent2d strides = 1;
  Extent2d padding = 0;
  bool bias = true;
  Weights weights = Weights::create;
};
/// Shapes: x [n,h,w,in] -> [n,oh,ow,out]
Value conv2d(Program& net, const Value& x, std::int64_t out, Conv2dLayerOptions options = {});

struct NormOptions {
  std::string name = "norm";  // variables NAME.scale, from 1, and NAME.bias, from 0
  double epsilon = 1e-5;
  Weights weights = Weights::create;
};
/// Along the last dimension. Shapes: x [..,d] -> [..,d]
Value layer_norm(Program& net, const Value& x, NormOptions options = {});
/// Without a bias.
Value rms_norm(Program& net, const Value& x, NormOptions options = {});

struct EmbeddingOptions {
  std::string name = "embedding";  // the variable's
  double deviation = 1;            // of its normal distribution
  Weights weights = Weights::create;
};
/// Shapes: indices [..] -> [..,width]; the variable is [count,width]
Value embedding(Program& net, const Value& indices, std::int64_t count, std::int64_t width,
                EmbeddingOptions options = {}, DType dtype = f32);

struct ModelOptions {
  std::string prefix = "";  // before every variable's name: "encoder."
  Weights weights = Weights::create;
};

/// Linear layers fc1, fc2, .. of the given widths with relu between them.
/// Shapes: x [n,..] -> [n, widths.back()]; x is flattened
Value mlp(Program& net, const Value& x, const std::vector<std::int64_t>& widths,
          ModelOptions options = {});

struct ConvNetOptions {
  std::int64_t classes = 10;
  std::string prefix = "";
  Weights weights = Weights::create;
};
/// conv1 3x3 32, relu, max pool 2; conv2 3x3 64, relu, max pool 2; fc1 128, relu; fc2 classes.
/// Shapes: x [n,h,w,c], or [n,784] taken as [n,28,28,1] -> [n,classes]; 421642 parameters for that
Value convnet(Program& net, const Value& x, ConvNetOptions options = {});

}  // namespace penstock::nn
