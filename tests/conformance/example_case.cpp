#include "tests/conformance/example_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace penstock::conformance {
namespace {

using program::DType;

Array draw(const program::TensorType& type, const program::Example& example, Random& random) {
  Array out = zeros(type.dtype, type.shape);
  for (double& value : out.values) {
    if (type.dtype == DType::boolean) {
      value = static_cast<double>(random.below(2));
    } else if (program::is_float(type.dtype)) {
      value = example.low + (example.high - example.low) * random.unit();
    } else {
      const auto span = static_cast<std::uint64_t>(example.integer_below - example.integer_from);
      value = static_cast<double>(example.integer_from + static_cast<std::int64_t>(random.below(
                                                             std::max<std::uint64_t>(span, 1))));
    }
    if (type.dtype == DType::f32) value = static_cast<double>(static_cast<float>(value));
  }
  return out;
}

std::int64_t batch_bound(const program::Types& types) {
  for (const program::TensorType& type : types) {
    const int dim = program::dynamic_dim(type.shape);
    if (dim >= 0) return type.shape[static_cast<std::size_t>(dim)].bound;
  }
  return -1;
}

}  // namespace

std::string ExampleCase::text() const {
  std::string out(row->name);
  for (const program::TensorType& type : example.operands) out += " " + to_text(type);
  out += " {";
  for (const auto& item : example.attributes.items())
    out += " " + item.first + "=" + to_text(item.second);
  return out + " } rows " + std::to_string(rows);
}

std::vector<ExampleCase> example_cases() {
  std::vector<ExampleCase> out;
  SeededRandom random(20240517);
  for (const program::OpRow& row : program::op_table())
    for (const program::Example& example : row.examples()) {
      ExampleCase base;
      base.row = &row;
      base.example = example;
      const Result<program::Types> results =
          program::infer_types(row, {example.operands, example.attributes});
      PENSTOCK_CHECK(results.ok(),
                     results.ok() ? "" : base.text() + ": " + results.error().message);
      base.declared_results = *results;
      std::int64_t bound = batch_bound(example.operands);
      if (bound < 0) bound = batch_bound(base.declared_results);
      std::vector<std::int64_t> rows = {11};  // what batch_size gives where nothing is dynamic
      if (bound >= 0) rows = {bound, std::max<std::int64_t>(bound - 2, 0)};
      for (const std::int64_t count : rows) {
        ExampleCase one = base;
        one.rows = count;
        for (const program::TensorType& type : example.operands)
          one.operands.push_back(draw(with_rows(type, count), example, random));
        out.push_back(std::move(one));
      }
    }
  return out;
}

program::TensorType with_rows(program::TensorType type, std::int64_t rows) {
  const int dim = program::dynamic_dim(type.shape);
  if (dim >= 0) type.shape[static_cast<std::size_t>(dim)].bound = rows;
  return type;
}

double distance(const Array& got, const Array& expected) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (got.type != expected.type || got.values.size() != expected.values.size()) return infinity;
  double scale = 1, worst = 0;
  for (const double value : expected.values)
    if (std::isfinite(value)) scale = std::max(scale, 1 + std::fabs(value));
  for (std::size_t i = 0; i < got.values.size(); ++i) {
    const double a = got.values[i], b = expected.values[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isfinite(a) || !std::isfinite(b)) return infinity;
    worst = std::max(worst, std::fabs(a - b));
  }
  return worst / scale;
}

}  // namespace penstock::conformance
