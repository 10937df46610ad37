#include <bit>
#include <cstring>

#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// Recursive doubling: in round k every rank exchanges its whole buffer with the rank whose number
/// differs in bit k. The ranks above the largest power of two first hand their buffer to a partner
/// below, and are given the result at the end.
///
/// Both partners combine in the same order (the lower rank's value on the left), so that they hold
/// the same bits after every round.
///
/// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication, IJHPCA 2005
class RecursiveDoubling final : public Algorithm {
 public:
  RecursiveDoubling(const Context& context, SmallAllReduceProblem problem)
      : context_(context), problem_(problem), theirs_(context.chunks.take()) {
    PENSTOCK_CHECK(problem.buffer.size() <= context.chunks.chunk_bytes());
    plan_rounds();
  }

  ~RecursiveDoubling() override {
    send_.reset();
    receive_.reset();
    context_.chunks.give_back(std::move(theirs_));
  }

  Result<Advance> advance() override {
    bool moved = false;
    while (round_ < rounds_.size()) {
      if (!started_) PENSTOCK_TRY(start(rounds_[round_]));
      if (send_) {
        PENSTOCK_ASSIGN(const bool ended, send_->finished());
        if (!ended) return moved ? Advance::moved : Advance::blocked;
      }
      if (receive_) {
        PENSTOCK_ASSIGN(const bool ended, receive_->finished());
        if (!ended) return moved ? Advance::moved : Advance::blocked;
      }
      end(rounds_[round_]);
      moved = true;
    }
    return Advance::finished;
  }

  std::string waiting_for() const override {
    return "round " + std::to_string(round_ + 1) + " of " + std::to_string(rounds_.size()) +
           " with rank " + std::to_string(rounds_[round_].peer);
  }

 private:
  enum class Use { none, combine, copy };
  struct Round {
    Rank peer = 0;
    bool sends = false;
    Use use = Use::none;  // of what is received; none receives nothing
  };

  void plan_rounds() {
    const Rank ranks = context_.transport.size();
    const Rank rank = context_.transport.rank();
    const Rank core = std::bit_floor(ranks);
    if (rank >= core) {
      rounds_.push_back({rank - core, true, Use::none});
      rounds_.push_back({rank - core, false, Use::copy});
      return;
    }
    const bool has_extra = rank + core < ranks;
    if (has_extra) rounds_.push_back({rank + core, false, Use::combine});
    for (Rank bit = 1; bit < core; bit *= 2) rounds_.push_back({rank ^ bit, true, Use::combine});
    if (has_extra) rounds_.push_back({rank + core, true, Use::none});
  }

  Status start(const Round& round) {
    const Envelope envelope{round.peer, std::uint64_t{problem_.tag} << 8};
    if (round.use != Use::none) {
      PENSTOCK_ASSIGN(const Posting posting, context_.transport.post_receive(envelope, theirs()));
      receive_.emplace(context_.transport, posting);
    }
    if (round.sends) {
      PENSTOCK_ASSIGN(const Posting posting,
                      context_.transport.post_send(envelope, problem_.buffer));
      send_.emplace(context_.transport, posting);
    }
    started_ = true;
    return {};
  }

  void end(const Round& round) {
    if (round.use != Use::none && context_.observer)
      context_.observer({round.peer, problem_.tag, theirs().size(), context_.clock.now()});
    if (round.use == Use::combine) {
      Reduction reduction = problem_.reduction;
      reduction.order = round.peer < context_.transport.rank() ? OperandOrder::from_first
                                                               : OperandOrder::into_first;
      reduce(reduction, problem_.buffer, theirs());
    } else if (round.use == Use::copy) {
      std::memcpy(problem_.buffer.data(), theirs_.get(), problem_.buffer.size());
    }
    send_.reset();
    receive_.reset();
    started_ = false;
    ++round_;
  }

  std::span<std::byte> theirs() const { return {theirs_.get(), problem_.buffer.size()}; }

  const Context& context_;
  const SmallAllReduceProblem problem_;
  Chunk theirs_;
  std::vector<Round> rounds_;
  std::size_t round_ = 0;
  bool started_ = false;
  std::optional<Posted> send_;
  std::optional<Posted> receive_;
};

}  // namespace

std::unique_ptr<Algorithm> make_recursive_doubling(const Context& context,
                                                   SmallAllReduceProblem problem) {
  return std::make_unique<RecursiveDoubling>(context, problem);
}

}  // namespace penstock::collectives
