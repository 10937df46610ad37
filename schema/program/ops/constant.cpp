#include "schema/program/ops/constant.h"

#include <cmath>

namespace penstock::program {
namespace {

/// Whether an integer type holds the value exactly.
bool holds(DType dtype, double value) {
  if (value != std::trunc(value)) return false;
  switch (dtype) {
    case DType::boolean:
      return value == 0 || value == 1;
    case DType::u8:
      return value >= 0 && value <= 255;
    case DType::i8:
      return value >= -128 && value <= 127;
    case DType::i32:
      return value >= -2147483648.0 && value <= 2147483647.0;
    // Beyond 2^53 a double skips integers: what was meant is not known.
    case DType::i64:
      return std::fabs(value) <= 9007199254740992.0;
    default:
      return true;
  }
}

}  // namespace

std::vector<AttributeSpec> Constant::attributes() {
  return {{"value", AttributeKind::real}, {"dtype", AttributeKind::dtype}};
}

Result<Types> Constant::infer(OpInputs in) {
  const DType dtype = in.attributes.dtype("dtype");
  const double value = in.attributes.real("value");
  if (!is_float(dtype) && !holds(dtype, value))
    return invalid("value " + to_text(value) + " is not a " + std::string(program::name(dtype)));
  return Types{{dtype, {}}};
}

ShardingRule Constant::sharding(OpInputs) {
  return {{}, {{}}, Linearity::none};
}

Cost Constant::cost(OpInputs in) {
  return {0, static_cast<double>(size_of(in.attributes.dtype("dtype")))};
}

std::vector<Example> Constant::examples() {
  std::vector<Example> out;
  for (const double value : {-2.5, 0.1, 0.0, 1e300})
    out.push_back({{}, {{"value", value}, {"dtype", DType::f64}}});
  for (const DType dtype : {DType::i32, DType::i64, DType::u8, DType::boolean})
    out.push_back({{}, {{"value", 1.0}, {"dtype", dtype}}});
  return out;
}

}  // namespace penstock::program
