#pragma once

#include <string>

#include "penstock/tensor.h"
#include "schema/wire/common.capnp.h"

namespace penstock::detail {

/// Largest tensor that is taken from a leader.
inline constexpr std::int64_t kResultBytesMax = std::int64_t{8} << 30;

/// Fills in everything but the bytes.
void set_tensor_type(wire::Tensor::Builder out, const std::string& name, const Tensor& tensor);

/// The tensor of a reply, streamed if it is large. `in` must live until this returns only.
/// Errors (broken promise): data_loss if the bytes are not what the type says
kj::Promise<Tensor> receive_tensor(wire::Tensor::Reader in);

}  // namespace penstock::detail
