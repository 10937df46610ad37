#include <algorithm>
#include <limits>

#include "base/check.h"
#include "tests/conformance/reference.h"

namespace penstock::conformance {
namespace {

using program::DType;
using program::Shape;
using Index = std::vector<std::int64_t>;

bool contains(const Index& list, std::size_t item) {
  return std::find(list.begin(), list.end(), static_cast<std::int64_t>(item)) != list.end();
}

/// The items of `all` whose position is not in `dims`.
template <class List>
List kept(const List& all, const Index& dims) {
  List out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!contains(dims, i)) out.push_back(all[i]);
  return out;
}

double least(DType dtype) {
  switch (dtype) {
    case DType::u8:
      return 0;
    case DType::i32:
      return -2147483648.0;
    case DType::i64:
      return -9223372036854775808.0;
    default:
      return -std::numeric_limits<double>::infinity();
  }
}

/// Folds every element of x into the result element that keeps its other coordinates.
template <class F>
Array reduced(const Array& x, const Index& dims, double start, F fold) {
  Array out = zeros(x.type.dtype, kept(x.type.shape, dims));
  for (double& value : out.values) value = start;
  const Index from = sizes(x), to = sizes(out);
  for (std::int64_t n = 0; n < count(from); ++n) {
    double& value = out.values[static_cast<std::size_t>(ravel(kept(unravel(n, from), dims), to))];
    value = fold(value, x.values[static_cast<std::size_t>(n)]);
  }
  return out;
}

std::vector<Array> reduce_sum(const ReferenceCall& call) {
  return {reduced(call.operands[0], call.attributes.integers("dims"), 0,
                  [](double a, double b) { return a + b; })};
}

std::vector<Array> reduce_max(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  return {reduced(x, call.attributes.integers("dims"), least(x.type.dtype),
                  [](double a, double b) { return b != b || b > a ? b : a; })};
}

std::vector<Array> argmax(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const auto dim = static_cast<std::size_t>(call.attributes.integer("dim"));
  const Index dims = {call.attributes.integer("dim")};
  const Index from = sizes(x);
  Array out = zeros(DType::i64, kept(x.type.shape, dims));
  Array best = out;
  const Index to = sizes(out);
  for (std::int64_t n = 0; n < count(from); ++n) {
    const Index index = unravel(n, from);
    const auto at = static_cast<std::size_t>(ravel(kept(index, dims), to));
    const double value = x.values[static_cast<std::size_t>(n)];
    if (index[dim] > 0 && !(value > best.values[at])) continue;
    best.values[at] = value;
    out.values[at] = static_cast<double>(index[dim]);
  }
  return {out};
}

std::vector<Array> reshape(const ReferenceCall& call) {
  Array out = call.operands[0];
  const Index& to = call.attributes.integers("shape");
  Shape shape(to.begin(), to.end());
  const Shape& from = out.type.shape;
  if (!from.empty() && from[0].dynamic) shape[0] = from[0];
  out.type.shape = shape;
  PENSTOCK_CHECK(static_cast<std::int64_t>(out.values.size()) == program::element_count(shape));
  return {out};
}

std::vector<Array> broadcast(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Index& to = call.attributes.integers("shape");
  const Index& dims = call.attributes.integers("dims");
  Shape shape(to.begin(), to.end());
  const std::int64_t dynamic = call.attributes.integer("dynamic_dim");
  if (dynamic >= 0) shape[static_cast<std::size_t>(dynamic)] = {call.rows, true};
  for (std::size_t i = 0; i < dims.size(); ++i)
    shape[static_cast<std::size_t>(dims[i])] = x.type.shape[i];
  Array out = zeros(x.type.dtype, shape);
  const Index from = sizes(x), result = sizes(out);
  for (std::int64_t n = 0; n < count(result); ++n) {
    const Index index = unravel(n, result);
    Index source;
    for (const std::int64_t dim : dims) source.push_back(index[static_cast<std::size_t>(dim)]);
    out.values[static_cast<std::size_t>(n)] =
        x.values[static_cast<std::size_t>(ravel(source, from))];
  }
  return {out};
}

std::vector<Array> transpose(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Index& permutation = call.attributes.integers("permutation");
  Shape shape;
  for (const std::int64_t dim : permutation)
    shape.push_back(x.type.shape[static_cast<std::size_t>(dim)]);
  Array out = zeros(x.type.dtype, shape);
  const Index from = sizes(x), to = sizes(out);
  for (std::int64_t n = 0; n < count(from); ++n) {
    const Index index = unravel(n, from);
    Index target;
    for (const std::int64_t dim : permutation)
      target.push_back(index[static_cast<std::size_t>(dim)]);
    out.values[static_cast<std::size_t>(ravel(target, to))] = x.values[static_cast<std::size_t>(n)];
  }
  return {out};
}

std::vector<Array> one_hot(const ReferenceCall& call) {
  const Array& labels = call.operands[0];
  const std::int64_t depth = call.attributes.integer("depth");
  Shape shape = labels.type.shape;
  shape.push_back(depth);
  Array out = zeros(call.attributes.dtype("dtype"), shape);
  for (std::size_t i = 0; i < labels.values.size(); ++i) {
    const auto label = static_cast<std::int64_t>(labels.values[i]);
    if (label < 0 || label >= depth) continue;
    out.values[i * static_cast<std::size_t>(depth) + static_cast<std::size_t>(label)] = 1;
  }
  return {out};
}

std::vector<Array> pick(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const Array& labels = call.operands[1];
  Array out = zeros(x.type.dtype, labels.type.shape);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const auto label = static_cast<std::int64_t>(labels.values[i]);
    const std::int64_t classes = x.type.shape.back().bound;
    out.values[i] =
        label < 0 || label >= classes
            ? std::numeric_limits<double>::quiet_NaN()
            : x.values[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(label)];
  }
  return {out};
}

}  // namespace

std::vector<NamedReference> movement_references() {
  return {{"reduce_sum", reduce_sum}, {"reduce_max", reduce_max},
          {"argmax", argmax},         {"reshape", reshape},
          {"broadcast", broadcast},   {"transpose", transpose},
          {"one_hot", one_hot},       {"pick", pick}};
}

}  // namespace penstock::conformance
