#pragma once

#include <kj/async.h>

#include <cstddef>
#include <functional>
#include <span>

#include "schema/wire/common.capnp.h"

namespace penstock::wire {

/// Sends the bytes in chunks of kChunkBytes under the stream's flow control, then `done`.
/// The bytes must live until the promise resolves.
kj::Promise<void> send_bytes(ByteSink::Client sink, std::span<const std::byte> bytes);

/// Receives exactly `destination.size()` bytes, then calls `finished` once. Fewer or more bytes are
/// an error to the sender. The destination must outlive the sink, or `keep` must own it.
ByteSink::Client receive_bytes(std::span<std::byte> destination, kj::Own<void> keep,
                               std::function<void()> finished);

/// Serves a copy-free read of bytes that `keep` owns.
ByteSource::Client serve_bytes(std::span<const std::byte> bytes, kj::Own<void> keep);

}  // namespace penstock::wire
