#include "penstock/report.h"

#include <cstdio>
#include <ostream>

#include "penstock/error.h"

namespace penstock {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string bytes(std::int64_t count) {
  return format_bytes(static_cast<std::uint64_t>(count < 0 ? 0 : count));
}

std::string share(Nanoseconds part, Nanoseconds whole) {
  if (whole.count() <= 0) return "0 %";
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%",
                100.0 * static_cast<double>(part.count()) / static_cast<double>(whole.count()));
  return text;
}

}  // namespace

TimeSplit& TimeSplit::operator+=(const TimeSplit& other) {
  queue += other.queue;
  input += other.input;
  compute += other.compute;
  communication += other.communication;
  total += other.total;
  return *this;
}

Usage& Usage::operator+=(const Usage& other) {
  device_time += other.device_time;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  steps += other.steps;
  price = price + other.price;
  return *this;
}

const Tensor& RunResult::operator[](std::string_view name) const {
  const auto at = outputs.find(name);
  if (at != outputs.end()) return at->second;
  std::string there;
  for (const auto& [known, tensor] : outputs) there += (there.empty() ? "" : ", ") + known;
  throw Exception({ErrorCode::not_found, "output '" + std::string(name) +
                                             "': the call has no such output; it has: " + there});
}

std::ostream& operator<<(std::ostream& out, const Metrics& m) {
  out << m.steps << " steps, " << m.rows << " samples at " << number(m.rows_per_second)
      << " samples/s; loss " << number(m.loss);
  for (const auto& [name, value] : m.metrics) out << ", " << name << " " << number(value);
  out << "\ntime on the devices " << format_duration(m.time.total) << ": compute "
      << share(m.time.compute, m.time.total) << ", communication "
      << share(m.time.communication, m.time.total) << ", input "
      << share(m.time.input, m.time.total) << "; waited in queue " << format_duration(m.time.queue)
      << "\n"
      << bytes(m.usage.bytes_in) << " in, " << bytes(m.usage.bytes_out) << " out; round trip "
      << format_duration(m.round_trip) << ", window " << m.window << "; price "
      << format_money(m.usage.price) << "\n";
  return out;
}

std::ostream& operator<<(std::ostream& out, const Bill& bill) {
  out << "bill\n";
  for (const BillLine& line : bill.lines) {
    const std::string quantity = line.unit == "ns" ? format_duration(Nanoseconds(line.quantity))
                                 : line.unit == "B"
                                     ? bytes(line.quantity)
                                     : std::to_string(line.quantity) + " " + line.unit;
    char text[160];
    std::snprintf(text, sizeof text, "  %-24.60s %14.40s  %12.30s\n", line.what.c_str(),
                  quantity.c_str(), format_money(line.amount).c_str());
    out << text;
  }
  char text[96];
  std::snprintf(text, sizeof text, "  %-24s %14s  %12.30s %.8s\n", "total", "",
                format_money(bill.total).c_str(), bill.currency.c_str());
  return out << text;
}

std::ostream& operator<<(std::ostream& out, const StepResult& result) {
  out << "step " << result.step << ": loss " << number(result.loss);
  for (const auto& [name, value] : result.metrics) out << ", " << name << " " << number(value);
  return out << " (" << format_duration(result.time.total) << ", "
             << format_money(result.usage.price) << ")\n";
}

std::ostream& operator<<(std::ostream& out, const Evaluation& evaluation) {
  out << evaluation.rows << " samples: loss " << number(evaluation.loss);
  for (const auto& [name, value] : evaluation.metrics) out << ", " << name << " " << number(value);
  return out << "\n";
}

}  // namespace penstock
