#include "executor/collectives/stream.h"

namespace penstock::collectives {
namespace {

/// Dissemination barrier: in round k every rank tells the one 2^k to its right and hears from the
/// one 2^k to its left; after log2(P) rounds everyone has heard, indirectly, from everyone.
/// Source: Hensgen, Finkel and Manber, Two algorithms for barrier synchronization, IJPP 1988
class Barrier final : public Algorithm {
 public:
  Barrier(const Context& context, std::uint32_t tag) : context_(context), tag_(tag) {}

  Result<Advance> advance() override {
    bool moved = false;
    while (distance_ < ranks()) {
      if (!receive_) PENSTOCK_TRY(start());
      PENSTOCK_ASSIGN(const bool told, send_->finished());
      PENSTOCK_ASSIGN(const bool heard, receive_->finished());
      if (!told || !heard) return moved ? Advance::moved : Advance::blocked;
      send_.reset();
      receive_.reset();
      distance_ *= 2;
      ++round_;
      moved = true;
    }
    return Advance::finished;
  }

  std::string waiting_for() const override { return "rank " + std::to_string(left()); }

 private:
  Rank ranks() const { return context_.transport.size(); }
  Rank left() const { return (context_.transport.rank() + ranks() - distance_) % ranks(); }

  Status start() {
    const std::uint64_t tag = (std::uint64_t{tag_} << 8) | (round_ << 1);
    PENSTOCK_ASSIGN(const Posting heard, context_.transport.post_receive({left(), tag}, {}));
    receive_.emplace(context_.transport, heard);
    const Rank right = (context_.transport.rank() + distance_) % ranks();
    PENSTOCK_ASSIGN(const Posting told, context_.transport.post_send({right, tag}, {}));
    send_.emplace(context_.transport, told);
    return {};
  }

  const Context& context_;
  const std::uint32_t tag_;
  Rank distance_ = 1;
  std::uint64_t round_ = 0;
  std::optional<Posted> send_;
  std::optional<Posted> receive_;
};

}  // namespace

std::unique_ptr<Algorithm> make_barrier(const Context& context, std::uint32_t tag) {
  return std::make_unique<Barrier>(context, tag);
}

}  // namespace penstock::collectives
