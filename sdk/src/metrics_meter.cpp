#include "sdk/src/metrics_meter.h"

#include <algorithm>

namespace penstock::detail {

void MetricsMeter::add(const Sample& sample, Instant now) {
  std::lock_guard lock(mutex_);
  ++sums_.calls;
  sums_.steps = std::max(sums_.steps, sample.step);
  sums_.time += sample.time;
  sums_.usage += sample.usage;
  if (sample.trained_rows > 0) {
    // The first answer only starts the clock.
    if (points_.empty()) points_.push_back({now - sample.time.total, 0});
    sums_.rows += sample.trained_rows;
    points_.push_back({now, sums_.rows});
    if (points_.size() > kRateKept) points_.pop_front();
    if (!sample.scalars.empty()) recent_.push_back(sample.scalars);
    if (recent_.size() > kMeanKept) recent_.pop_front();
  }
}

Metrics MetricsMeter::read() const {
  std::lock_guard lock(mutex_);
  Metrics metrics = sums_;
  for (const auto& scalars : recent_)
    for (const auto& [name, value] : scalars)
      metrics.metrics[name] += value / static_cast<double>(recent_.size());
  if (const auto loss = metrics.metrics.find("loss"); loss != metrics.metrics.end()) {
    metrics.loss = loss->second;
    metrics.metrics.erase(loss);
  }
  if (points_.size() > 1) {
    const auto span = static_cast<double>((points_.back().at - points_.front().at).count());
    if (span > 0)
      metrics.rows_per_second =
          1e9 * static_cast<double>(points_.back().rows - points_.front().rows) / span;
  }
  return metrics;
}

}  // namespace penstock::detail
