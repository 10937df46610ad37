#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/conformance/reference.h"

namespace penstock::conformance {
namespace {

/// Each result from the elements that are reduced to it, in order.
Reference over(double (*f)(const std::vector<double>&, const ReferenceCall&)) {
  return [f](const ReferenceCall& call) {
    const Array& x = call.operands[0];
    const auto& dims = call.attributes.integers("dims");
    program::Shape shape;
    for (std::size_t i = 0; i < x.type.shape.size(); ++i)
      if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
        shape.push_back(x.type.shape[i]);
    Array out = zeros(x.type.dtype, shape);
    std::vector<std::vector<double>> groups(out.values.size());
    const auto from = sizes(x), to = sizes(out);
    for (std::int64_t n = 0; n < count(from); ++n) {
      const auto index = unravel(n, from);
      std::vector<std::int64_t> target;
      for (std::size_t i = 0; i < index.size(); ++i)
        if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
          target.push_back(index[i]);
      groups[static_cast<std::size_t>(ravel(target, to))].push_back(
          x.values[static_cast<std::size_t>(n)]);
    }
    for (std::size_t i = 0; i < groups.size(); ++i) out.values[i] = f(groups[i], call);
    return std::vector<Array>{out};
  };
}

double least(const std::vector<double>& x, const ReferenceCall&) {
  return *std::min_element(x.begin(), x.end());
}

double product(const std::vector<double>& x, const ReferenceCall&) {
  double out = 1;
  for (const double value : x) out *= value;
  return out;
}

double some(const std::vector<double>& x, const ReferenceCall&) {
  return std::any_of(x.begin(), x.end(), [](double value) { return value != 0; }) ? 1 : 0;
}

double every(const std::vector<double>& x, const ReferenceCall&) {
  return std::all_of(x.begin(), x.end(), [](double value) { return value != 0; }) ? 1 : 0;
}

double log_of_sum(const std::vector<double>& x, const ReferenceCall&) {
  long double sum = 0;
  for (const double value : x) sum += std::exp(static_cast<long double>(value));
  return static_cast<double>(std::log(sum));
}

double variance(const std::vector<double>& x, const ReferenceCall& call) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, sum = 0;
  for (const double value : x) mean += value / n;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / (n - static_cast<double>(call.attributes.integer("correction")));
}

std::vector<Array> argmin(const ReferenceCall& call) {
  Array negated = call.operands[0];
  for (double& value : negated.values) value = -value;
  const Array operands[] = {negated};
  return evaluate_reference("argmax", {operands, call.attributes, call.rows});
}

}  // namespace

std::vector<NamedReference> reduction_references() {
  return {
      {"reduce_min", over(least)},
      {"reduce_prod", over(product)},
      {"any", over(some)},
      {"all", over(every)},
      {"variance", over(variance)},
      {"argmin", argmin},
      {"log_sum_exp", over(log_of_sum)},
  };
}

}  // namespace penstock::conformance
