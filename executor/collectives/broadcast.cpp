#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// Binomial tree, chunk by chunk: every rank passes a chunk on to its children as soon as it has
/// it. Ranks are counted from the root; the parent of v is v without its highest bit, so the root's
/// children are 1, 2, 4, ...
/// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication, IJHPCA 2005
class Broadcast final : public Algorithm {
 public:
  Broadcast(const Context& context, BroadcastProblem problem)
      : context_(context), problem_(problem) {
    const Rank ranks = context.transport.size();
    const Rank from_root = (context.transport.rank() + ranks - problem.root) % ranks;
    const std::uint64_t chunks = chunks_of(problem.buffer.size(), context.chunks.chunk_bytes());
    const auto shape = [&](Rank virtual_peer) {
      return StreamShape{.peer = (virtual_peer + problem.root) % ranks,
                         .tag = problem.tag,
                         .chunks = chunks,
                         .end = StreamEnd::acknowledged};
    };
    Rank bit = 1;
    for (; bit <= from_root; bit *= 2) {
    }
    if (from_root != 0) parent_.emplace(context_, shape(from_root - bit / 2));
    for (; from_root + bit < ranks; bit *= 2)
      children_.emplace_back(context_, shape(from_root + bit));
  }

  Result<Advance> advance() override {
    bool moved = false;
    while (true) {
      PENSTOCK_ASSIGN(const bool received, receive());
      PENSTOCK_ASSIGN(const bool sent, pass_on());
      bool finished = !parent_ || parent_->finished();
      for (const auto& child : children_) finished &= child.finished();
      if (finished) return Advance::finished;
      if (!(received | sent)) break;
      moved = true;
    }
    return moved ? Advance::moved : Advance::blocked;
  }

  std::string waiting_for() const override {
    if (parent_ && !parent_->finished()) return parent_->waiting_for();
    for (const auto& child : children_)
      if (!child.finished()) return child.waiting_for();
    return "nothing";
  }

 private:
  std::span<std::byte> chunk(std::uint64_t index) const {
    return chunk_at(problem_.buffer, index, context_.chunks.chunk_bytes());
  }

  Result<bool> receive() {
    if (!parent_) return false;
    PENSTOCK_ASSIGN(bool moved, parent_->poll());
    while (parent_->can_post()) PENSTOCK_TRY(parent_->post(chunk(parent_->posted())));
    while (parent_->freed() < parent_->arrived()) {
      PENSTOCK_TRY(parent_->free_one());
      moved = true;
    }
    return moved;
  }

  Result<bool> pass_on() {
    bool moved = false;
    for (auto& child : children_) {
      PENSTOCK_ASSIGN(const bool changed, child.poll());
      moved |= changed;
      while (child.can_send() && (!parent_ || child.sent() < parent_->arrived())) {
        PENSTOCK_TRY(child.send(chunk(child.sent())));
        moved = true;
      }
    }
    return moved;
  }

  const Context& context_;
  const BroadcastProblem problem_;
  std::optional<InStream> parent_;
  std::deque<OutStream> children_;
};

}  // namespace

std::unique_ptr<Algorithm> make_broadcast(const Context& context, BroadcastProblem problem) {
  return std::make_unique<Broadcast>(context, problem);
}

}  // namespace penstock::collectives
