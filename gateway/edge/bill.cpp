#include "gateway/edge/bill.h"

namespace penstock::gateway {
namespace {

struct LineText {
  const char* what;
  const char* unit;
};

LineText text(LineKind kind) {
  switch (kind) {
    case LineKind::device_time:
      return {"device time", "ns"};
    case LineKind::bytes_in:
      return {"bytes in", "B"};
    case LineKind::bytes_out:
      return {"bytes out", "B"};
  }
  return {"", ""};
}

}  // namespace

void fill_usage(wire::Usage::Builder out, const Usage& usage, Money amount) {
  out.setDeviceNs(usage.device_nanoseconds);
  out.setBytesIn(usage.bytes_in);
  out.setBytesOut(usage.bytes_out);
  out.setSteps(usage.steps);
  out.setPriceNanos(amount.nanos);
}

void fill_bill(wire::Bill::Builder out, const UsageMeter& meter, LeaseId lease) {
  out.setCurrency("USD");
  const auto statement = meter.statement(lease);
  if (!statement) return;
  fill_usage(out.initUsage(), statement->usage, statement->total);
  out.setTotalNanos(statement->total.nanos);
  auto lines = out.initLines(static_cast<unsigned>(statement->lines.size()));
  for (unsigned i = 0; i < statement->lines.size(); ++i) {
    const StatementLine& line = statement->lines[i];
    lines[i].setWhat(text(line.kind).what);
    lines[i].setUnit(text(line.kind).unit);
    lines[i].setQuantity(line.quantity);
    lines[i].setAmountNanos(line.amount.nanos);
  }
}

}  // namespace penstock::gateway
