#include "schema/wire/convert.h"

#include <capnp/message.h>
#include <doctest/doctest.h>

using namespace penstock;

namespace {

struct Typed {
  capnp::MallocMessageBuilder message;
  wire::Tensor::Builder tensor = message.initRoot<wire::Tensor>();

  Typed(const char* dtype, std::vector<std::int64_t> shape) {
    tensor.setName("x");
    tensor.setDtype(dtype);
    auto out = tensor.initShape(static_cast<unsigned>(shape.size()));
    for (unsigned i = 0; i < shape.size(); ++i) out.set(i, shape[i]);
  }
  Result<program::TensorType> read() { return wire::read_type(tensor.asReader()); }
};

}  // namespace

TEST_CASE("a tensor's type reads as it was set") {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<wire::Tensor>();
  const program::TensorType type{program::DType::i32, {3, 0, 5}};
  wire::set_type(out, "labels", type);
  CHECK(wire::to_string(out.getName()) == "labels");
  CHECK(wire::read_type(out.asReader()).value() == type);
}

TEST_CASE("a tensor's type from outside is refused by what is wrong with it") {
  CHECK(Typed("f31", {2}).read().error().message == "tensor 'x': unknown element type 'f31'");
  CHECK_FALSE(Typed("f32", {-1}).read().ok());
  CHECK_FALSE(Typed("f32", std::vector<std::int64_t>(9, 1)).read().ok());
  CHECK_FALSE(Typed("f32", {1LL << 40, 1LL << 40}).read().ok());
}

TEST_CASE("times and usage survive the wire") {
  capnp::MallocMessageBuilder message;
  const wire::CallTime time{1ns, 2ns, 3ns, 4ns, 5ns};
  const wire::CallUsage usage{10, 20, 30, 40, Money{50}};
  auto result = message.initRoot<wire::Usage>();
  wire::set(result, usage);
  CHECK(wire::read(result.asReader()) == usage);
  capnp::MallocMessageBuilder other;
  auto split = other.initRoot<wire::TimeSplit>();
  wire::set(split, time);
  CHECK(wire::read(split.asReader()) == time);
}
