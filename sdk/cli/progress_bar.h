#pragma once

#include <cstdint>
#include <string>

#include "penstock/report.h"

namespace penstock::cli {

/// How far a job is.
struct Progress {
  std::int64_t epoch = 1, epochs = 1;
  std::int64_t done = 0, all = 1;  // batches of the epoch
  Metrics metrics;
};

/// One line of at most `columns` characters for a terminal: a bar, then loss, samples/s, the time
/// split and the money; what does not fit is left out from the right.
std::string render_bar(const Progress& progress, int columns);

/// One line for a log.
std::string render_line(const Progress& progress);

/// One line of JSON.
std::string render_json(const Progress& progress);

}  // namespace penstock::cli
