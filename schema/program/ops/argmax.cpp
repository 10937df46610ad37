#include "schema/program/ops/argmax.h"

#include "schema/program/ops/axes.h"
#include "schema/program/ops/pointwise.h"

namespace penstock::program {

std::vector<AttributeSpec> Argmax::attributes() {
  return {{"dim", AttributeKind::integer}};
}

Result<Types> Argmax::infer(OpInputs in) {
  const TensorType& x = in.types[0];
  PENSTOCK_TRY(check_elements(x, Elements::numbers));
  const std::int64_t dim = in.attributes.integer("dim");
  PENSTOCK_TRY(check_dims({dim}, x.shape));
  if (x.shape[static_cast<std::size_t>(dim)].bound == 0)
    return invalid("dimension " + std::to_string(dim) + " of " + to_text(x) +
                   " is empty: it has no maximum");
  return Types{{DType::i64, without({dim}, x.shape)}};
}

ShardingRule Argmax::sharding(OpInputs in) {
  return reduction_rule(in.types[0].shape, {in.attributes.integer("dim")}, Reduced::whole,
                        Linearity::none);
}

Cost Argmax::cost(OpInputs in) {
  const TensorType& x = in.types[0];
  const TensorType result{DType::i64, without({in.attributes.integer("dim")}, x.shape)};
  return {static_cast<double>(element_count(x.shape)), traffic(in.types, {&result, 1})};
}

std::vector<Example> Argmax::examples() {
  std::vector<Example> out;
  const auto add = [&](DType dtype, Shape shape, std::int64_t dim) {
    out.push_back({{{dtype, std::move(shape)}}, {{"dim", dim}}});
  };
  add(DType::f64, {1}, 0);
  add(DType::f64, {0, 3}, 1);
  add(DType::f64, {3, 5}, 0);
  add(DType::f64, {3, 5, 7}, 1);
  add(DType::f64, {batch(7), 3}, 1);
  add(DType::f64, {65, 67}, 1);
  for (const DType dtype : {DType::i32, DType::i64, DType::u8}) add(dtype, {5, 7}, 1);  // has ties
  return out;
}

}  // namespace penstock::program
