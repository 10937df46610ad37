#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/conformance/reference.h"

namespace penstock::conformance {
namespace {

/// log(sum(e^x)) of one row, in long double so that it is a yardstick for double.
long double log_sum_exp(const double* row, std::int64_t size) {
  long double highest = -std::numeric_limits<long double>::infinity();
  for (std::int64_t i = 0; i < size; ++i)
    highest = std::max(highest, static_cast<long double>(row[i]));
  long double sum = 0;
  for (std::int64_t i = 0; i < size; ++i)
    sum += std::exp(static_cast<long double>(row[i]) - highest);
  return highest + std::log(sum);
}

/// f(x, log-sum-exp of x's row) for each element.
template <class F>
std::vector<Array> over_last(const ReferenceCall& call, F f) {
  Array out = call.operands[0];
  const std::int64_t last = out.type.shape.back().bound;
  for (std::size_t begin = 0; begin < out.values.size(); begin += static_cast<std::size_t>(last)) {
    const long double total = log_sum_exp(&out.values[begin], last);
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(last); ++i)
      out.values[i] = static_cast<double>(f(static_cast<long double>(out.values[i]), total));
  }
  return {out};
}

std::vector<Array> softmax(const ReferenceCall& call) {
  return over_last(call, [](long double x, long double total) { return std::exp(x - total); });
}

std::vector<Array> log_softmax(const ReferenceCall& call) {
  return over_last(call, [](long double x, long double total) { return x - total; });
}

std::vector<Array> cross_entropy(const ReferenceCall& call) {
  const Array& logits = call.operands[0];
  const Array& labels = call.operands[1];
  const std::int64_t classes = logits.type.shape.back().bound;
  Array out = zeros(logits.type.dtype, labels.type.shape);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const double* row = &logits.values[i * static_cast<std::size_t>(classes)];
    const auto label = static_cast<std::int64_t>(labels.values[i]);
    out.values[i] =
        label < 0 || label >= classes
            ? std::numeric_limits<double>::quiet_NaN()
            : static_cast<double>(log_sum_exp(row, classes) - static_cast<long double>(row[label]));
  }
  return {out};
}

std::vector<Array> cross_entropy_gradient(const ReferenceCall& call) {
  const Array& logits = call.operands[0];
  const std::int64_t classes = logits.type.shape.back().bound;
  Array out = logits;
  for (std::size_t n = 0; n < out.values.size(); ++n) {
    const std::size_t i = n / static_cast<std::size_t>(classes);
    const std::size_t k = n % static_cast<std::size_t>(classes);
    const double* row = &logits.values[i * static_cast<std::size_t>(classes)];
    const long double total = log_sum_exp(row, classes);
    const double hit = static_cast<double>(k) == call.operands[1].values[i] ? 1 : 0;
    out.values[n] =
        (static_cast<double>(std::exp(static_cast<long double>(row[k]) - total)) - hit) *
        call.operands[2].values[i];
  }
  return {out};
}

/// Row by row: f(row) is subtracted, and what is left divided by the root of its mean square.
template <class F>
Array normalised(const ReferenceCall& call, F shift) {
  Array out = call.operands[0];
  const auto d = static_cast<std::size_t>(out.type.shape.back().bound);
  for (std::size_t begin = 0; begin < out.values.size(); begin += d) {
    long double mean = 0, squares = 0;
    for (std::size_t i = begin; i < begin + d; ++i) mean += out.values[i];
    mean = shift(mean / static_cast<long double>(d));
    for (std::size_t i = begin; i < begin + d; ++i) {
      const long double x = out.values[i] - mean;
      squares += x * x;
    }
    const long double root = std::sqrt(squares / static_cast<long double>(d) +
                                       static_cast<long double>(call.attributes.real("epsilon")));
    for (std::size_t i = begin; i < begin + d; ++i)
      out.values[i] =
          static_cast<double>((out.values[i] - mean) / root) * call.operands[1].values[i - begin];
  }
  return out;
}

std::vector<Array> layer_norm(const ReferenceCall& call) {
  Array out = normalised(call, [](long double mean) { return mean; });
  const auto d = static_cast<std::size_t>(out.type.shape.back().bound);
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.values[i] += call.operands[2].values[i % d];
  return {out};
}

std::vector<Array> rms_norm(const ReferenceCall& call) {
  return {normalised(call, [](long double) { return 0.0L; })};
}

std::vector<Array> mean(const ReferenceCall& call) {
  const Array& x = call.operands[0];
  const auto& dims = call.attributes.integers("dims");
  program::Shape shape;
  double own = 1, rows = 1;
  for (std::size_t i = 0; i < x.type.shape.size(); ++i) {
    const program::Dim& dim = x.type.shape[i];
    if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
      shape.push_back(dim);
    else if (dim.dynamic)
      rows = static_cast<double>(call.rows);
    else
      own *= static_cast<double>(dim.bound);
  }
  const auto of = static_cast<double>(call.attributes.integer("of"));
  Array out = zeros(x.type.dtype, shape);
  const auto from = sizes(x), to = sizes(out);
  for (std::int64_t n = 0; n < count(from); ++n) {
    const auto index = unravel(n, from);
    std::vector<std::int64_t> target;
    for (std::size_t i = 0; i < index.size(); ++i)
      if (std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(i)) == dims.end())
        target.push_back(index[i]);
    out.values[static_cast<std::size_t>(ravel(target, to))] +=
        x.values[static_cast<std::size_t>(n)] / ((of > 0 ? of : own) * rows);
  }
  return {out};
}

/// torch.optim.SGD's documented algorithm, dampening 0, nesterov false.
std::vector<Array> sgd(const ReferenceCall& call) {
  const double momentum = call.attributes.real("momentum");
  const double decay = call.attributes.real("weight_decay");
  const double rate = call.operands[3].values[0];
  Array param = call.operands[0], buffer = call.operands[2];
  for (std::size_t i = 0; i < param.values.size(); ++i) {
    const double g = call.operands[1].values[i] + decay * param.values[i];
    buffer.values[i] = momentum * buffer.values[i] + g;
    param.values[i] -= rate * buffer.values[i];
  }
  return {param, buffer};
}

/// torch.optim.AdamW's documented algorithm, amsgrad false.
std::vector<Array> adamw(const ReferenceCall& call) {
  const double beta1 = call.attributes.real("beta1"), beta2 = call.attributes.real("beta2");
  const double epsilon = call.attributes.real("epsilon");
  const double step = call.operands[4].values[0], rate = call.operands[5].values[0];
  Array param = call.operands[0], m = call.operands[2], v = call.operands[3];
  for (std::size_t i = 0; i < param.values.size(); ++i) {
    const double g = call.operands[1].values[i];
    double& p = param.values[i];
    p -= rate * call.attributes.real("weight_decay") * p;
    m.values[i] = beta1 * m.values[i] + (1 - beta1) * g;
    v.values[i] = beta2 * v.values[i] + (1 - beta2) * g * g;
    const double m_hat = m.values[i] / (1 - std::pow(beta1, step));
    const double v_hat = v.values[i] / (1 - std::pow(beta2, step));
    p -= rate * m_hat / (std::sqrt(v_hat) + epsilon);
  }
  return {param, m, v};
}

/// torch.optim.Adam's documented algorithm, amsgrad false.
std::vector<Array> adam(const ReferenceCall& call) {
  const double decay = call.attributes.real("weight_decay");
  std::vector<Array> operands(call.operands.begin(), call.operands.end());
  for (std::size_t i = 0; i < operands[1].values.size(); ++i)
    operands[1].values[i] += decay * operands[0].values[i];
  program::Attributes attributes = call.attributes;
  attributes.set("weight_decay", 0.0);
  return adamw({operands, attributes, call.rows});
}

/// Algorithm 2 of arXiv:2302.06675.
std::vector<Array> lion(const ReferenceCall& call) {
  const double beta1 = call.attributes.real("beta1"), beta2 = call.attributes.real("beta2");
  const double rate = call.operands[3].values[0];
  Array param = call.operands[0], m = call.operands[2];
  for (std::size_t i = 0; i < param.values.size(); ++i) {
    const double g = call.operands[1].values[i];
    const double c = beta1 * m.values[i] + (1 - beta1) * g;
    double& p = param.values[i];
    p -= rate * ((c > 0 ? 1.0 : c < 0 ? -1.0 : 0.0) + call.attributes.real("weight_decay") * p);
    m.values[i] = beta2 * m.values[i] + (1 - beta2) * g;
  }
  return {param, m};
}

}  // namespace

std::vector<NamedReference> region_references() {
  return {{"softmax", softmax},
          {"log_softmax", log_softmax},
          {"cross_entropy", cross_entropy},
          {"cross_entropy_gradient", cross_entropy_gradient},
          {"mean", mean},
          {"layer_norm", layer_norm},
          {"rms_norm", rms_norm},
          {"sgd", sgd},
          {"adam", adam},
          {"lion", lion},
          {"adamw", adamw}};
}

}  // namespace penstock::conformance
