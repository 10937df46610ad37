#include "sdk/src/tensor_wire.h"

#include "base/net/rpc_error.h"
#include "schema/wire/byte_stream.h"
#include "schema/wire/convert.h"

namespace penstock::detail {
namespace {

/// Bytes that are being received; shared by the stream that writes them and the one who waits.
struct Buffer {
  std::vector<std::byte> bytes;
  bool full = false;
};

kj::Promise<Tensor> receive_stream(wire::ByteSource::Client source, DType dtype, Extents shape,
                                   std::int64_t size, std::string name) {
  auto buffer = std::make_shared<Buffer>();
  buffer->bytes.resize(static_cast<std::size_t>(size));
  auto request = source.readRequest();
  request.setSink(wire::receive_bytes(buffer->bytes, kj::heap<std::shared_ptr<Buffer>>(buffer),
                                      [buffer]() { buffer->full = true; }));
  return request.send().then(
      [buffer, dtype, shape = std::move(shape), name = std::move(name)](auto&&) mutable {
        if (!buffer->full)
          net::throw_error({ErrorCode::data_loss,
                            "result '" + name + "': its stream ended before it was complete"});
        return Tensor::from_bytes(dtype, std::move(shape), std::move(buffer->bytes));
      });
}

}  // namespace

void set_tensor_type(wire::Tensor::Builder out, const std::string& name, const Tensor& tensor) {
  const Shape shape(tensor.shape().begin(), tensor.shape().end());
  wire::set_type(out, name, TensorType{tensor.dtype(), shape});
}

kj::Promise<Tensor> receive_tensor(wire::Tensor::Reader in) {
  const TensorType type = net::or_throw(wire::read_type(in));
  const std::string name = wire::to_string(in.getName());
  const std::int64_t size = program::byte_count(type);
  if (size > kResultBytesMax)
    net::throw_error({ErrorCode::resource_exhausted,
                      "result '" + name + "' has " + std::to_string(size) + " bytes"});
  Extents shape = program::bounds(type.shape);
  if (in.isSource())
    return receive_stream(in.getSource(), type.dtype, std::move(shape), size, name);
  if (!in.isInline())
    net::throw_error({ErrorCode::data_loss, "result '" + name + "' has no bytes"});
  const auto bytes = in.getInline();
  if (static_cast<std::int64_t>(bytes.size()) != size)
    net::throw_error({ErrorCode::data_loss, "result '" + name + "' has " +
                                                std::to_string(bytes.size()) + " bytes, its type " +
                                                program::to_text(type) + " has " +
                                                std::to_string(size)});
  return Tensor::from_bytes(type.dtype, std::move(shape),
                            std::as_bytes(std::span(bytes.begin(), bytes.size())));
}

}  // namespace penstock::detail
