#include "schema/program/ops/pointwise.h"

namespace penstock::program {
namespace {

bool takes(Elements elements, DType dtype) {
  if (!has_kernels(dtype)) return false;
  if (elements == Elements::booleans) return dtype == DType::boolean;
  if (is_float(dtype)) return true;
  if (elements == Elements::floats) return false;
  if (dtype == DType::u8) return elements != Elements::signed_numbers;
  if (dtype == DType::boolean) return elements == Elements::any;
  return true;
}

std::string_view words(Elements elements) {
  switch (elements) {
    case Elements::floats:
      return "a floating-point type (f32, f64)";
    case Elements::signed_numbers:
      return "a signed type (f32, f64, i32, i64)";
    case Elements::numbers:
      return "a number (f32, f64, i32, i64, u8)";
    case Elements::booleans:
      return "bool";
    case Elements::any:
      break;
  }
  return "an element type with kernels";
}

}  // namespace

Status check_elements(const TensorType& type, Elements elements) {
  if (takes(elements, type.dtype)) return {};
  return invalid("takes " + std::string(words(elements)) + ", got " + to_text(type) +
                 "; insert a cast");
}

Result<Types> infer_unary(OpInputs in, Elements elements) {
  PENSTOCK_TRY(check_elements(in.types[0], elements));
  return Types{in.types[0]};
}

Result<Types> infer_binary(OpInputs in, Elements elements) {
  const TensorType& lhs = in.types[0];
  const TensorType& rhs = in.types[1];
  if (lhs.dtype != rhs.dtype)
    return invalid("element types differ: lhs " + to_text(lhs) + ", rhs " + to_text(rhs) +
                   "; insert a cast");
  if (lhs.shape != rhs.shape)
    return invalid("shapes differ: lhs " + to_text(lhs.shape) + ", rhs " + to_text(rhs.shape) +
                   "; broadcast the smaller one");
  PENSTOCK_TRY(check_elements(lhs, elements));
  return Types{lhs};
}

Result<Types> infer_alike(OpInputs in, Elements elements) {
  for (std::size_t i = 1; i < in.types.size(); ++i)
    PENSTOCK_TRY(infer_binary({in.types.subspan(i - 1, 2), in.attributes}, elements));
  return infer_unary(in, elements);
}

double traffic(std::span<const TensorType> operands, std::span<const TensorType> results) {
  double bytes = 0;
  for (const TensorType& type : operands) bytes += static_cast<double>(byte_count(type));
  for (const TensorType& type : results) bytes += static_cast<double>(byte_count(type));
  return bytes;
}

Cost pointwise_cost(OpInputs in, const TensorType& result, double flop_per_element) {
  return {flop_per_element * static_cast<double>(element_count(result.shape)),
          traffic(in.types, {&result, 1})};
}

Linearity for_floats(OpInputs in, Linearity linearity) {
  return is_float(in.types[0].dtype) ? linearity : Linearity::none;
}

std::vector<Shape> example_shapes() {
  return {{}, {1}, {0}, {3, 5}, {batch(7), 3}, {65, 67}};
}

std::vector<Example> pointwise_examples(std::size_t operands, Elements elements,
                                        ExampleRange range) {
  std::vector<Example> out;
  const auto add = [&](DType dtype, const Shape& shape) {
    Example example;
    example.operands.assign(operands, TensorType{dtype, shape});
    example.low = range.low;
    example.high = range.high;
    example.check_gradient = dtype == DType::f64 && element_count(shape) < 100;
    out.push_back(std::move(example));
  };
  for (const Shape& shape : example_shapes())
    add(elements == Elements::booleans ? DType::boolean : DType::f64, shape);
  if (elements == Elements::booleans) return out;
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    if (takes(elements, dtype)) add(dtype, {3, 5});
  return out;
}

std::vector<Example> reduction_examples(Elements elements, ExampleRange range) {
  const DType main = elements == Elements::booleans ? DType::boolean : DType::f64;
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::vector<std::int64_t> dims) {
    Example example{{{dtype, std::move(shape)}}, {{"dims", std::move(dims)}}};
    example.low = range.low;
    example.high = range.high;
    example.check_gradient = element_count(example.operands[0].shape) < 200;
    out.push_back(std::move(example));
  };
  add(main, {1}, {0});
  add(main, {3, 0}, {1});
  add(main, {0, 3}, {1});
  add(main, {3, 5}, {0});
  add(main, {3, 5}, {0, 1});
  add(main, {3, 5, 7}, {1});
  add(main, {batch(7), 3}, {1});
  add(main, {65, 67}, {1});
  for (const DType dtype : {DType::i32, DType::i64, DType::u8})
    if (takes(elements, dtype)) add(dtype, {3, 5}, {1});
  return out;
}

std::vector<Example> with_attributes(const std::vector<Example>& examples,
                                     const std::vector<Attributes>& sets) {
  std::vector<Example> out;
  for (const Attributes& attributes : sets)
    for (Example example : examples) {
      example.attributes = attributes;
      out.push_back(std::move(example));
    }
  return out;
}

}  // namespace penstock::program
