#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "penstock/tensor.h"

namespace penstock {

/// Where the time of a call went; the slowest device's figures.
struct TimeSplit {
  Nanoseconds queue{};          // waiting behind earlier calls
  Nanoseconds input{};          // bringing inputs to the devices
  Nanoseconds compute{};        // in kernels
  Nanoseconds communication{};  // waiting for other devices
  Nanoseconds total{};          // from the queue's end to the result
  TimeSplit& operator+=(const TimeSplit& other);
  bool operator==(const TimeSplit&) const = default;
};

/// What was used and what it costs.
struct Usage {
  Nanoseconds device_time{};  // sum over the devices
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
  std::int64_t steps = 0;
  Money price;
  Usage& operator+=(const Usage& other);
  bool operator==(const Usage&) const = default;
};

/// What a call of a trainer gave.
struct StepResult {
  std::uint64_t step = 0;                 // optimizer steps done so far
  std::int64_t rows = 0;                  // of this call's batch
  double loss = 0;                        // 0 for optimizer_step
  std::map<std::string, double> metrics;  // the scalars named in TrainOptions::metrics
  TimeSplit time;
  Usage usage;
};

/// What a call of an executable gave.
struct RunResult {
  Tensors outputs;
  TimeSplit time;
  Usage usage;

  /// Errors: Exception with not_found, listing the outputs there are
  const Tensor& operator[](std::string_view name) const;
};

/// Means over all rows of the batches that were evaluated.
struct Evaluation {
  std::int64_t rows = 0;
  double loss = 0;
  std::map<std::string, double> metrics;
};

/// How a trainer or executable is doing.
struct Metrics {
  std::uint64_t calls = 0;  // answered
  std::uint64_t steps = 0;  // optimizer steps done
  std::int64_t rows = 0;    // trained on, since the trainer was made
  double loss = 0;          // mean over the last calls that had one
  std::map<std::string, double> metrics;
  double rows_per_second = 0;  // over the last seconds
  TimeSplit time;              // sums over all calls
  Usage usage;                 // sums over all calls
  Nanoseconds round_trip{};    // of the network, without the devices' time
  int window = 0;              // calls that may be in flight
};

/// One line of a bill.
struct BillLine {
  std::string what;  // "cpu device time"
  std::int64_t quantity = 0;
  std::string unit;  // "ns", "B"
  Money amount;
};

struct Bill {
  std::vector<BillLine> lines;
  Usage usage;
  Money total;
  std::string currency;
};

/// Several short lines of text.
std::ostream& operator<<(std::ostream& out, const Metrics& metrics);
std::ostream& operator<<(std::ostream& out, const Bill& bill);
/// One line.
std::ostream& operator<<(std::ostream& out, const StepResult& result);
std::ostream& operator<<(std::ostream& out, const Evaluation& evaluation);

}  // namespace penstock
