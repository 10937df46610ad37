#include "executor/worker/follower.h"

#include <utility>

#include "executor/worker/command.h"

namespace penstock::executor {
namespace {

void answer(CommunicateThread& communicate, RankResult result) {
  std::vector<std::uint64_t> sizes;
  OutgoingMessage message;
  for (const Buffer& output : result.outputs) {
    sizes.push_back(output.size());
    message.blobs.push_back(output.bytes());
  }
  message.body = encode(result.completion, sizes);
  message.keep = std::make_shared<std::vector<Buffer>>(std::move(result.outputs));
  communicate.send(0, std::move(message));
}

}  // namespace

CommunicateThread::Handlers follow_leader(CommunicateThread& communicate, ComputeThread& compute,
                                          RankPrograms& programs) {
  CommunicateThread::Handlers handlers;
  handlers.received = [&communicate, &compute, &programs](std::uint32_t, IncomingMessage message) {
    auto decoded = decode_command(message.body);
    if (!decoded.ok()) return;  // the receiver has read the same body already
    // std::function wants to be copyable; the buffers are held in a shared place.
    auto held = std::make_shared<std::pair<Command, IncomingMessage>>(std::move(decoded->body),
                                                                      std::move(message));
    const bool queued = compute.post([&communicate, &programs, held] {
      std::vector<std::span<const std::byte>> inputs;
      for (const Buffer& blob : held->second.blobs) inputs.push_back(blob.bytes());
      RankResult result = programs.execute(held->first, inputs);
      result.completion.input += held->second.transfer;
      answer(communicate, std::move(result));
    });
    PENSTOCK_CHECK(queued, "the leader's window bounds the commands");
  };
  return handlers;
}

}  // namespace penstock::executor
