#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "penstock/optimizer.h"
#include "penstock/program.h"
#include "schema/program/sharding.h"

namespace penstock::detail {

struct DataPlan {
  std::int64_t devices = 1;
  std::int64_t micro_batches = 1;
  std::int64_t bucket_bytes = 1 << 20;
};

/// Every batch dimension of every input is cut over the axis `data` (devices) and the time axis
/// `micro`; every variable stays whole.
/// Errors: invalid_argument for sizes below 1
Result<program::Plan> data_plan(const program::Program& program, const DataPlan& options);

/// A copy of the loss's program that minimises it: the loss and the metrics become outputs of its
/// entry, and the training section is added.
/// Errors: Exception if the loss is no scalar of an entry, or a metric is none
program::Program training_program(const Value& loss, const std::map<std::string, Value>& metrics,
                                  const Optimizer& optimizer, program::Attributes clipping = {});

}  // namespace penstock::detail
