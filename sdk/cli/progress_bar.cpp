#include "sdk/cli/progress_bar.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <vector>

#include "sdk/cli/connection.h"

namespace penstock::cli {
namespace {

constexpr int kBarCells = 20;

std::string fixed(double value, int digits) {
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string percent(Nanoseconds part, Nanoseconds whole) {
  if (whole.count() <= 0) return "0%";
  return fixed(100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()), 0) +
         "%";
}

/// What is said, most important first.
std::vector<std::string> parts_of(const Progress& p) {
  const Metrics& m = p.metrics;
  std::vector<std::string> parts = {"loss " + fixed(m.loss, 4)};
  for (const auto& [name, value] : m.metrics) parts.push_back(name + " " + fixed(value, 3));
  parts.push_back(fixed(m.rows_per_second, 0) + " samples/s");
  parts.push_back(format_money(m.usage.price));
  parts.push_back("compute " + percent(m.time.compute, m.time.total) + " comm " +
                  percent(m.time.communication, m.time.total) + " input " +
                  percent(m.time.input, m.time.total));
  return parts;
}

}  // namespace

std::string render_bar(const Progress& progress, int columns) {
  const std::int64_t all = std::max<std::int64_t>(progress.all, 1);
  const auto filled =
      static_cast<std::size_t>(kBarCells * std::clamp<std::int64_t>(progress.done, 0, all) / all);
  std::string line = "epoch " + std::to_string(progress.epoch) + "/" +
                     std::to_string(progress.epochs) + " [" + std::string(filled, '#') +
                     std::string(kBarCells - filled, '.') + "] " + std::to_string(progress.done) +
                     "/" + std::to_string(progress.all);
  const auto room = static_cast<std::size_t>(std::max(columns, 0));
  for (const std::string& part : parts_of(progress)) {
    if (line.size() + 2 + part.size() > room) break;
    line += "  " + part;
  }
  return line.substr(0, room);
}

std::string render_line(const Progress& progress) {
  std::string line = "epoch " + std::to_string(progress.epoch) + "/" +
                     std::to_string(progress.epochs) + " batch " + std::to_string(progress.done) +
                     "/" + std::to_string(progress.all);
  for (const std::string& part : parts_of(progress)) line += ", " + part;
  return line;
}

std::string render_json(const Progress& p) {
  std::ostringstream out;
  out.precision(9);
  out << "{\"event\":\"progress\",\"epoch\":" << p.epoch << ",\"batch\":" << p.done
      << ",\"batches\":" << p.all << ",\"steps\":" << p.metrics.steps
      << ",\"loss\":" << p.metrics.loss;
  for (const auto& [name, value] : p.metrics.metrics)
    out << "," << json_string(name) << ":" << value;
  out << ",\"samples_per_second\":" << p.metrics.rows_per_second
      << ",\"compute_ns\":" << p.metrics.time.compute.count()
      << ",\"communication_ns\":" << p.metrics.time.communication.count()
      << ",\"input_ns\":" << p.metrics.time.input.count()
      << ",\"total_ns\":" << p.metrics.time.total.count()
      << ",\"bytes_in\":" << p.metrics.usage.bytes_in
      << ",\"bytes_out\":" << p.metrics.usage.bytes_out
      << ",\"price_nanos\":" << p.metrics.usage.price.nanos << "}";
  return out.str();
}

}  // namespace penstock::cli
