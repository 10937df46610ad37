#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// Ring all-gather: in step t rank r passes block (r-t) on to the right and takes block (r-1-t)
/// from the left, chunk by chunk. Blocks may differ in size, so a chunk is looked up in a list made
/// once: what goes out is this rank's own block and then everything that came in but the last
/// block. Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication, IJHPCA
/// 2005
class AllGather final : public Algorithm {
 public:
  AllGather(const Context& context, AllGatherProblem problem)
      : context_(context), problem_(std::move(problem)) {
    const Rank ranks = context.transport.size();
    const Rank rank = context.transport.rank();
    own_chunks_ = list_chunks(rank, outgoing_);
    for (Rank t = 1; t < ranks; ++t) {
      const Rank block = (rank + ranks - t) % ranks;
      list_chunks(block, incoming_);
      if (t + 1 < ranks) list_chunks(block, outgoing_);
    }
    out_.emplace(
        context_,
        StreamShape{.peer = (rank + 1) % ranks, .tag = problem_.tag, .chunks = outgoing_.size()});
    in_.emplace(context_, StreamShape{.peer = (rank + ranks - 1) % ranks,
                                      .tag = problem_.tag,
                                      .chunks = incoming_.size()});
  }

  Result<Advance> advance() override {
    bool moved = false;
    while (true) {
      PENSTOCK_ASSIGN(bool changed, out_->poll());
      PENSTOCK_ASSIGN(const bool received, in_->poll());
      changed |= received;
      for (; in_->freed() < in_->arrived(); changed = true) PENSTOCK_TRY(in_->free_one());
      for (; in_->can_post(); changed = true) PENSTOCK_TRY(in_->post(incoming_[in_->posted()]));
      for (; out_->can_send() && out_->sent() < own_chunks_ + in_->arrived(); changed = true)
        PENSTOCK_TRY(out_->send(outgoing_[out_->sent()]));
      if (out_->finished() && in_->finished()) return Advance::finished;
      if (!changed) break;
      moved = true;
    }
    return moved ? Advance::moved : Advance::blocked;
  }

  std::string waiting_for() const override {
    return in_->finished() ? out_->waiting_for() : in_->waiting_for();
  }

 private:
  using ChunkList = std::vector<std::span<std::byte>>;

  std::uint64_t list_chunks(Rank block, ChunkList& list) const {
    std::uint64_t from = 0;
    for (Rank r = 0; r < block; ++r) from += problem_.block_bytes[r];
    const auto bytes = problem_.buffer.subspan(from, problem_.block_bytes[block]);
    const std::uint64_t chunks = chunks_of(bytes.size(), context_.chunks.chunk_bytes());
    for (std::uint64_t i = 0; i < chunks; ++i)
      list.push_back(chunk_at(bytes, i, context_.chunks.chunk_bytes()));
    return chunks;
  }

  const Context& context_;
  const AllGatherProblem problem_;
  std::uint64_t own_chunks_ = 0;
  ChunkList outgoing_;
  ChunkList incoming_;
  std::optional<OutStream> out_;
  std::optional<InStream> in_;
};

}  // namespace

std::unique_ptr<Algorithm> make_all_gather(const Context& context, AllGatherProblem problem) {
  return std::make_unique<AllGather>(context, std::move(problem));
}

}  // namespace penstock::collectives
