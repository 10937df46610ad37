#include "schema/program/ops/max_pool2d_gradient.h"

#include "schema/program/ops/max_pool2d.h"
#include "schema/program/ops/pointwise.h"
#include "schema/program/ops/window.h"

namespace penstock::program {

std::vector<AttributeSpec> MaxPool2dGradient::attributes() {
  return MaxPool2d::attributes();
}

Result<Types> MaxPool2dGradient::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_ASSIGN(const Types pooled, MaxPool2d::infer({in.types.first(1), in.attributes}));
  if (in.types[1] != pooled[0])
    return invalid("g " + to_text(in.types[1]) + " must be " + to_text(pooled[0]) +
                   ", as the pooled " + to_text(x));
  return Types{x};
}

ShardingRule MaxPool2dGradient::sharding(OpInputs) {
  return ShardingRule::parse("n . . c, n . . c -> n . . c");
}

Cost MaxPool2dGradient::cost(OpInputs in) {
  const std::vector<std::int64_t>& window = in.attributes.integers("window");
  return {static_cast<double>(window[0] * window[1]) *
              static_cast<double>(element_count(in.types[1].shape)),
          traffic(in.types, in.types.first(1))};
}

std::vector<Example> MaxPool2dGradient::examples() {
  std::vector<Example> out = MaxPool2d::examples();
  for (Example& example : out) {
    const Types pooled = MaxPool2d::infer({example.operands, example.attributes}).value();
    example.operands.push_back(pooled[0]);
  }
  return out;
}

}  // namespace penstock::program
