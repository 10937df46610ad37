#include <cstring>

#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// A block on its way out of this rank or into it, one stream each.
template <class Stream, class Byte>
struct Transfer {
  Stream stream;
  std::span<Byte> block;
};
using Sending = Transfer<OutStream, const std::byte>;
using Receiving = Transfer<InStream, std::byte>;

/// Blocks directly between the root and each other rank: gather and scatter differ only in the
/// direction. Acknowledged, because the sending side learns nothing else from the receiving one.
class Direct final : public Algorithm {
 public:
  Direct(const Context& context, std::uint32_t tag) : context_(context), tag_(tag) {}

  void send(Rank peer, std::span<const std::byte> block) {
    sending_.push_back({OutStream(context_, shape(peer, block.size())), block});
  }
  void receive(Rank peer, std::span<std::byte> block) {
    receiving_.push_back({InStream(context_, shape(peer, block.size())), block});
  }

  Result<Advance> advance() override {
    bool moved = false;
    bool finished = true;
    for (auto& [stream, block] : sending_) {
      PENSTOCK_ASSIGN(const bool changed, stream.poll());
      moved |= changed;
      for (; stream.can_send(); moved = true)
        PENSTOCK_TRY(stream.send(chunk_at(block, stream.sent(), chunk_bytes())));
      finished &= stream.finished();
    }
    for (auto& [stream, block] : receiving_) {
      PENSTOCK_ASSIGN(const bool changed, stream.poll());
      moved |= changed;
      for (; stream.freed() < stream.arrived(); moved = true) PENSTOCK_TRY(stream.free_one());
      for (; stream.can_post(); moved = true)
        PENSTOCK_TRY(stream.post(chunk_at(block, stream.posted(), chunk_bytes())));
      finished &= stream.finished();
    }
    if (finished) return Advance::finished;
    return moved ? Advance::moved : Advance::blocked;
  }

  std::string waiting_for() const override {
    for (const auto& [stream, block] : receiving_)
      if (!stream.finished()) return stream.waiting_for();
    for (const auto& [stream, block] : sending_)
      if (!stream.finished()) return stream.waiting_for();
    return "nothing";
  }

 private:
  std::uint64_t chunk_bytes() const { return context_.chunks.chunk_bytes(); }
  StreamShape shape(Rank peer, std::uint64_t bytes) const {
    return {.peer = peer,
            .tag = tag_,
            .chunks = chunks_of(bytes, chunk_bytes()),
            .end = StreamEnd::acknowledged};
  }

  const Context& context_;
  const std::uint32_t tag_;
  std::deque<Sending> sending_;
  std::deque<Receiving> receiving_;
};

/// Calls `each(rank, block)` for every rank's block of `all`.
template <class Byte, class Each>
void for_each_block(std::span<Byte> all, const std::vector<std::uint64_t>& block_bytes, Each each) {
  std::uint64_t at = 0;
  for (Rank r = 0; r < block_bytes.size(); ++r) {
    each(r, all.subspan(at, block_bytes[r]));
    at += block_bytes[r];
  }
}

}  // namespace

std::unique_ptr<Algorithm> make_gather(const Context& context, GatherProblem problem) {
  auto direct = std::make_unique<Direct>(context, problem.tag);
  if (context.transport.rank() != problem.root) {
    direct->send(problem.root, problem.mine);
    return direct;
  }
  for_each_block(problem.all, problem.block_bytes, [&](Rank rank, std::span<std::byte> block) {
    if (rank != problem.root)
      direct->receive(rank, block);
    else if (!block.empty())
      std::memmove(block.data(), problem.mine.data(), block.size());
  });
  return direct;
}

std::unique_ptr<Algorithm> make_scatter(const Context& context, ScatterProblem problem) {
  auto direct = std::make_unique<Direct>(context, problem.tag);
  if (context.transport.rank() != problem.root) {
    direct->receive(problem.root, problem.mine);
    return direct;
  }
  for_each_block(problem.all, problem.block_bytes,
                 [&](Rank rank, std::span<const std::byte> block) {
                   if (rank != problem.root)
                     direct->send(rank, block);
                   else if (!block.empty())
                     std::memmove(problem.mine.data(), block.data(), block.size());
                 });
  return direct;
}

}  // namespace penstock::collectives
