#include <algorithm>

#include "executor/collectives/communicator.h"
#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// Ring all-reduce: the buffer is one segment per rank, a segment is cut into chunks, and chunk c
/// of step t is message t*C + c on the way to the right-hand neighbour.
///
///   steps 0 .. P-2     reduce-scatter: send segment (r-1-t), receive and reduce segment (r-2-t)
///   afterwards         segment r is complete on rank r
///   steps P-1 .. 2P-3  all-gather: send segment (r-t'), receive segment (r-1-t'), t' = t-(P-1)
///
/// Chunk c moves on to the next step as soon as it is reduced, whatever the other chunks do. Every
/// segment is summed in one place in one order and then copied, hence equal bits everywhere.
///
/// Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms, JPDC 2009
class Ring final : public Algorithm {
 public:
  Ring(const Context& context, RingProblem problem)
      : context_(context),
        problem_(problem),
        ranks_(context.transport.size()),
        chunk_bytes_(context.chunks.chunk_bytes()),
        chunks_(chunks_per_segment()),
        reduce_messages_((ranks_ - 1) * chunks_),
        messages_(problem.part == RingPart::all_reduce ? 2 * reduce_messages_ : reduce_messages_),
        out_(context_, {.peer = (rank() + 1) % ranks_, .tag = problem.tag, .chunks = messages_}),
        in_(context_,
            {.peer = (rank() + ranks_ - 1) % ranks_, .tag = problem.tag, .chunks = messages_}) {
    const std::uint64_t slots = std::min<std::uint64_t>(context.window, reduce_messages_);
    for (std::uint64_t i = 0; i < slots; ++i) scratch_.push_back(context.chunks.take());
  }

  ~Ring() override {
    in_.stop();  // before another operation is given the chunks that it receives into
    for (auto& chunk : scratch_) context_.chunks.give_back(std::move(chunk));
  }

  Result<Advance> advance() override {
    bool moved = false;
    while (true) {
      PENSTOCK_ASSIGN(const bool sent, out_.poll());
      PENSTOCK_ASSIGN(const bool received, in_.poll());
      PENSTOCK_ASSIGN(const bool posted, post_receives());
      PENSTOCK_ASSIGN(const bool used, use_arrivals());
      PENSTOCK_ASSIGN(const bool started, start_sends());
      if (out_.finished() && in_.finished()) return Advance::finished;
      if (!(sent | received | posted | used | started)) break;
      moved = true;
    }
    return moved ? Advance::moved : Advance::blocked;
  }

  std::string waiting_for() const override {
    return in_.finished() ? out_.waiting_for() : in_.waiting_for();
  }

 private:
  Rank rank() const { return context_.transport.rank(); }
  std::uint64_t elements() const {
    return problem_.buffer.size() / size_of(problem_.reduction.type);
  }
  std::uint64_t chunks_per_segment() const {
    const std::uint64_t largest =
        segment_of(elements(), 0, ranks_).count * size_of(problem_.reduction.type);
    return chunks_of(largest, chunk_bytes_);
  }

  /// Where message `index` lies when it leaves the rank that is `hops` to the left of this one.
  std::span<std::byte> piece(std::uint64_t index, Rank hops) const {
    const auto step = static_cast<Rank>(index / chunks_);
    const std::uint64_t back = (step < ranks_ - 1 ? step + 1 : step - (ranks_ - 1)) + hops;
    const auto owner = static_cast<Rank>((rank() + 2 * ranks_ - back % ranks_) % ranks_);
    const Segment segment = segment_of(elements(), owner, ranks_);
    const std::size_t unit = size_of(problem_.reduction.type);
    return chunk_at(problem_.buffer.subspan(segment.first * unit, segment.count * unit),
                    index % chunks_, chunk_bytes_);
  }
  std::span<std::byte> scratch(std::uint64_t index) const {
    return {scratch_[index % scratch_.size()].get(), piece(index, 1).size()};
  }

  Result<bool> post_receives() {
    bool moved = false;
    while (in_.can_post()) {
      const std::uint64_t m = in_.posted();
      const bool reducing = m < reduce_messages_;
      // A gathered chunk overwrites what was sent P-1 steps before: that send must be over.
      if (!reducing && out_.completed() <= m - reduce_messages_) break;
      PENSTOCK_TRY(in_.post(reducing ? scratch(m) : piece(m, 1)));
      moved = true;
    }
    return moved;
  }

  Result<bool> use_arrivals() {
    bool moved = false;
    while (in_.freed() < in_.arrived()) {
      const std::uint64_t m = in_.freed();
      if (m < reduce_messages_) reduce(problem_.reduction, piece(m, 1), scratch(m));
      PENSTOCK_TRY(in_.free_one());
      moved = true;
    }
    return moved;
  }

  Result<bool> start_sends() {
    bool moved = false;
    while (out_.can_send()) {
      const std::uint64_t m = out_.sent();
      if (m >= chunks_ && in_.freed() <= m - chunks_) break;  // not yet reduced or gathered here
      PENSTOCK_TRY(out_.send(piece(m, 0)));
      moved = true;
    }
    return moved;
  }

  const Context& context_;
  const RingProblem problem_;
  const Rank ranks_;
  const std::uint64_t chunk_bytes_;
  const std::uint64_t chunks_;  // per segment
  const std::uint64_t reduce_messages_;
  const std::uint64_t messages_;
  std::vector<Chunk> scratch_;
  OutStream out_;
  InStream in_;
};

}  // namespace

std::unique_ptr<Algorithm> make_ring(const Context& context, RingProblem problem) {
  return std::make_unique<Ring>(context, problem);
}

}  // namespace penstock::collectives
