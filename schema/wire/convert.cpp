#include "schema/wire/convert.h"

#include <string_view>

namespace penstock::wire {

void CallTime::add(const CallTime& more) {
  queue += more.queue;
  input += more.input;
  compute += more.compute;
  communication += more.communication;
  total += more.total;
}

void CallUsage::add(const CallUsage& more) {
  device_ns += more.device_ns;
  bytes_in += more.bytes_in;
  bytes_out += more.bytes_out;
  steps += more.steps;
  price = price + more.price;
}

void set(TimeSplit::Builder out, const CallTime& time) {
  out.setQueueNs(time.queue.count());
  out.setInputNs(time.input.count());
  out.setComputeNs(time.compute.count());
  out.setCommunicationNs(time.communication.count());
  out.setTotalNs(time.total.count());
}

CallTime read(TimeSplit::Reader in) {
  return {Nanoseconds(in.getQueueNs()), Nanoseconds(in.getInputNs()),
          Nanoseconds(in.getComputeNs()), Nanoseconds(in.getCommunicationNs()),
          Nanoseconds(in.getTotalNs())};
}

void set(Usage::Builder out, const CallUsage& usage) {
  out.setDeviceNs(usage.device_ns);
  out.setBytesIn(usage.bytes_in);
  out.setBytesOut(usage.bytes_out);
  out.setSteps(usage.steps);
  out.setPriceNanos(usage.price.nanos);
}

CallUsage read(Usage::Reader in) {
  return {in.getDeviceNs(), in.getBytesIn(), in.getBytesOut(), in.getSteps(),
          Money{in.getPriceNanos()}};
}

Result<program::TensorType> read_type(kj::StringPtr name, kj::StringPtr dtype,
                                      capnp::List<std::int64_t>::Reader shape) {
  const program::Limits limits;
  if (name.size() > static_cast<std::size_t>(limits.name_bytes))
    return invalid("tensor: name of " + std::to_string(name.size()) + " bytes; at most " +
                   std::to_string(limits.name_bytes));
  const std::string place = "tensor '" + to_string(name) + "'";
  if (dtype.size() > 16) return invalid(place + ": element type name too long");
  const auto parsed = program::parse_dtype(std::string_view(dtype.cStr(), dtype.size()));
  if (!parsed) return invalid(place + ": unknown element type '" + to_string(dtype) + "'");
  if (shape.size() > static_cast<std::size_t>(limits.rank))
    return invalid(place + ": rank " + std::to_string(shape.size()) + "; at most " +
                   std::to_string(limits.rank));
  program::TensorType type{*parsed, {}};
  for (const std::int64_t extent : shape) type.shape.emplace_back(extent);
  if (auto checked = program::check_shape(type.shape, limits); !checked.ok())
    return std::move(checked).error().in(place);
  return type;
}

Result<program::TensorType> read_type(Tensor::Reader in) {
  return read_type(in.getName(), in.getDtype(), in.getShape());
}

void set_type(Tensor::Builder out, const std::string& name, const program::TensorType& type) {
  out.setName(to_kj(name));
  const std::string dtype(program::name(type.dtype));
  out.setDtype(to_kj(dtype));
  auto shape = out.initShape(static_cast<unsigned>(type.shape.size()));
  for (unsigned i = 0; i < type.shape.size(); ++i) shape.set(i, type.shape[i].bound);
}

}  // namespace penstock::wire
