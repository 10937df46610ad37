#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "penstock/report.h"

namespace penstock::detail {

/// Adds up what the calls of a lane report.
/// Threads: any
class MetricsMeter {
 public:
  /// One answered call. `trained_rows` is 0 where the call did not train.
  struct Sample {
    TimeSplit time;
    Usage usage;
    std::uint64_t step = 0;
    std::int64_t trained_rows = 0;
    std::map<std::string, double> scalars;  // "loss" and the metrics; empty: none
  };
  void add(const Sample& sample, Instant now);
  Metrics read() const;

 private:
  static constexpr std::size_t kRateKept = 256;  // answers that the rate is measured over
  static constexpr std::size_t kMeanKept = 20;   // results that the means are over
  struct Point {
    Instant at;
    std::int64_t rows = 0;
  };

  mutable std::mutex mutex_;
  Metrics sums_;
  std::deque<Point> points_;
  std::deque<std::map<std::string, double>> recent_;
};

}  // namespace penstock::detail
