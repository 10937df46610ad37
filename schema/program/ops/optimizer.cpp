#include "schema/program/ops/optimizer.h"

#include "schema/program/ops/pointwise.h"

namespace penstock::program {

Result<Types> infer_optimizer(OpInputs in, std::size_t tensors) {
  const TensorType& param = in.types[0];
  PENSTOCK_TRY(check_elements(param, Elements::floats));
  for (std::size_t i = 1; i < tensors; ++i)
    if (in.types[i] != param)
      return invalid("operand " + std::to_string(i) + " must be " + to_text(param) +
                     " as the parameter, got " + to_text(in.types[i]));
  for (std::size_t i = tensors; i < in.types.size(); ++i) {
    // The learning rate comes last; what is before it counts steps.
    const TensorType want{i + 1 == in.types.size() ? DType::f64 : DType::i64, {}};
    if (in.types[i] != want)
      return invalid("operand " + std::to_string(i) + " must be " + to_text(want) + ", got " +
                     to_text(in.types[i]));
  }
  return Types(tensors - 1, param);
}

Status check_range(const Attributes& attributes, std::string_view name, double low, double high) {
  const double value = attributes.real(name);
  if (value >= low && value < high) return {};
  return invalid("attribute '" + std::string(name) + "' = " + to_text(value) + " is outside [" +
                 to_text(low) + ", " + to_text(high) + ")");
}

ValueId scalar_times(Builder& b, ValueId scalar, double factor) {
  return b.apply("multiply", {scalar, b.constant(factor, b.type(scalar).dtype)});
}

ValueId scaled(Builder& b, ValueId tensor, ValueId f64_scalar) {
  const TensorType type = b.type(tensor);
  const ValueId factor = type.dtype == DType::f64
                             ? f64_scalar
                             : b.apply("cast", {f64_scalar}, {{"dtype", type.dtype}});
  return b.apply("multiply", {tensor, b.broadcast_scalar(factor, type.shape)});
}

ValueId scaled(Builder& b, ValueId tensor, double factor) {
  const TensorType type = b.type(tensor);
  return b.apply("multiply", {tensor, b.fill_like(factor, type)});
}

std::vector<Example> optimizer_examples(std::size_t tensors, const Types& scalars,
                                        const std::vector<Attributes>& settings) {
  std::vector<Example> out;
  const Shape shapes[] = {{}, {1}, {0, 3}, {3, 5}, {65, 67}};
  for (const Attributes& setting : settings)
    for (const Shape& shape : shapes) {
      Example example;
      example.operands.assign(tensors, TensorType{DType::f64, shape});
      example.operands.insert(example.operands.end(), scalars.begin(), scalars.end());
      example.attributes = setting;
      example.low = 0.05;  // second moments are not negative
      example.high = 1;
      example.integer_from = 1;
      example.integer_below = 50;
      example.check_gradient = false;
      out.push_back(std::move(example));
    }
  return out;
}

}  // namespace penstock::program
