#include "executor/collectives/transport_communicator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace penstock::collectives {
namespace {

struct Identity {
  const char* name;  // `all_reduce`
  std::uint64_t bytes;
  std::uint32_t tag;
  Instant deadline;
};

class Running;

class TransportCommunicator final : public Communicator {
 public:
  TransportCommunicator(Transport& transport, const Clock& clock, CommunicatorOptions options)
      : transport_(transport),
        clock_(clock),
        observer_(std::move(options.observer)),
        chunks_(options.chunk_bytes),
        context_{transport_, clock_, chunks_, options.window, observer_} {}
  ~TransportCommunicator() override;

  Rank rank() const override { return transport_.rank(); }
  Rank size() const override { return transport_.size(); }

  Result<std::unique_ptr<Operation>> start_all_reduce(std::span<std::byte> buffer,
                                                      AllReduceOptions options) override;
  Result<std::unique_ptr<Operation>> start_reduce_scatter(std::span<std::byte> buffer,
                                                          AllReduceOptions options) override;
  Result<std::unique_ptr<Operation>> start_all_gather(std::span<std::byte> buffer,
                                                      std::vector<std::uint64_t> block_bytes,
                                                      CollectiveOptions options) override;
  Result<std::unique_ptr<Operation>> start_broadcast(std::span<std::byte> buffer,
                                                     RootedOptions options) override;
  Result<std::unique_ptr<Operation>> start_gather(std::span<const std::byte> mine,
                                                  std::span<std::byte> all,
                                                  std::vector<std::uint64_t> block_bytes,
                                                  RootedOptions options) override;
  Result<std::unique_ptr<Operation>> start_scatter(std::span<const std::byte> all,
                                                   std::span<std::byte> mine,
                                                   std::vector<std::uint64_t> block_bytes,
                                                   RootedOptions options) override;
  Result<std::unique_ptr<Operation>> start_barrier(CollectiveOptions options) override;

  bool progress() override;
  void idle(Instant deadline) override;
  void wake() override { transport_.wake(); }
  const std::optional<Error>& failure() const override { return failure_; }

  /// An operation goes away; before its end, that breaks the communicator.
  void forget(Running& running);

 private:
  Instant now() const override { return clock_.now(); }
  Status may_start(const Identity& identity);
  Status check_buffer(std::span<const std::byte> buffer, const AllReduceOptions& options) const;
  Status check_blocks(const std::vector<std::uint64_t>& block_bytes, std::uint64_t all,
                      const char* name) const;
  Status check_root(Rank root, const char* name) const;
  std::unique_ptr<Operation> run(Identity identity, std::unique_ptr<Algorithm> algorithm);
  void fail(Error error);

  Transport& transport_;
  const Clock& clock_;
  const ChunkObserver observer_;
  ChunkPool chunks_;
  const Context context_;
  std::vector<Running*> running_;
  std::optional<Error> failure_;
};

/// An operation in flight: an algorithm, until it has ended.
class Running final : public Operation {
 public:
  Running(TransportCommunicator& owner, Identity identity, std::unique_ptr<Algorithm> algorithm)
      : owner_(&owner), identity_(identity), algorithm_(std::move(algorithm)) {}
  ~Running() override {
    if (owner_ != nullptr) owner_->forget(*this);
  }

  const Identity& identity() const { return identity_; }

  /// Whether it moved; its error is that of the whole communicator.
  Result<bool> advance(Instant now) {
    auto advanced = algorithm_->advance();
    if (!advanced.ok()) return std::move(advanced).error().in(place());
    if (*advanced == Advance::finished) {
      end({});
      return true;
    }
    if (*advanced == Advance::blocked && now >= identity_.deadline)
      return Error{
          ErrorCode::deadline_exceeded,
          place() + ": the deadline passed while waiting for " + algorithm_->waiting_for()};
    return *advanced == Advance::moved;
  }

  void end(Status status) {
    algorithm_.reset();  // takes back what is posted: the buffers are the caller's again
    owner_ = nullptr;
    finish(std::move(status));
  }

 private:
  std::string place() const {
    return std::string(identity_.name) + " (tag " + std::to_string(identity_.tag) + ", " +
           format_bytes(identity_.bytes) + ")";
  }

  TransportCommunicator* owner_;
  const Identity identity_;
  std::unique_ptr<Algorithm> algorithm_;
};

/// What a single rank does: nothing.
class Nothing final : public Algorithm {
 public:
  Result<Advance> advance() override { return Advance::finished; }
  std::string waiting_for() const override { return "nothing"; }
};

TransportCommunicator::~TransportCommunicator() {
  fail({ErrorCode::cancelled, "the communicator was closed"});
}

bool TransportCommunicator::progress() {
  transport_.idle(Instant{std::numeric_limits<std::int64_t>::min()});
  if (transport_.failure() && !running_.empty()) fail(*transport_.failure());
  bool moved = false;
  const Instant at = clock_.now();
  for (std::size_t i = 0; i < running_.size();) {
    auto advanced = running_[i]->advance(at);
    if (!advanced.ok()) {
      fail(std::move(advanced).error());
      return true;
    }
    moved |= *advanced;
    if (running_[i]->done())
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  return moved;
}

void TransportCommunicator::idle(Instant deadline) {
  for (const Running* running : running_)
    deadline = std::min(deadline, running->identity().deadline);
  transport_.idle(deadline);
}

void TransportCommunicator::forget(Running& running) {
  std::erase(running_, &running);
  fail({ErrorCode::cancelled,
        std::string(running.identity().name) + " (tag " + std::to_string(running.identity().tag) +
            ") was given up before its end; its peers cannot go on without this rank"});
}

void TransportCommunicator::fail(Error error) {
  if (!failure_) failure_ = std::move(error);
  const auto ending = std::exchange(running_, {});
  for (Running* running : ending) running->end(*failure_);
}

Status TransportCommunicator::may_start(const Identity& identity) {
  if (!failure_) failure_ = transport_.failure();
  if (failure_) return *failure_;
  for (const Running* running : running_)
    if (running->identity().tag == identity.tag)
      return Error{ErrorCode::already_exists, std::string(identity.name) + ": tag " +
                                                  std::to_string(identity.tag) + " is that of a " +
                                                  running->identity().name + " still in flight"};
  return {};
}

Status TransportCommunicator::check_buffer(std::span<const std::byte> buffer,
                                           const AllReduceOptions& options) const {
  const std::size_t unit = size_of(options.type);
  if (buffer.size() % unit != 0 || reinterpret_cast<std::uintptr_t>(buffer.data()) % unit != 0)
    return invalid("all_reduce: the buffer (" + std::to_string(buffer.size()) +
                   " bytes) is not an aligned array of " + std::string(name(options.type)));
  return {};
}

Status TransportCommunicator::check_blocks(const std::vector<std::uint64_t>& block_bytes,
                                           std::uint64_t all, const char* name) const {
  if (block_bytes.size() != size())
    return invalid(std::string(name) + ": " + std::to_string(block_bytes.size()) +
                   " block sizes for " + std::to_string(size()) + " ranks");
  std::uint64_t sum = 0;
  for (const std::uint64_t bytes : block_bytes) {
    if (bytes > all - sum)
      return invalid(std::string(name) + ": the blocks are larger than the buffer of " +
                     std::to_string(all) + " bytes");
    sum += bytes;
  }
  if (sum != all)
    return invalid(std::string(name) + ": the blocks sum to " + std::to_string(sum) +
                   " bytes, the buffer has " + std::to_string(all));
  return {};
}

Status TransportCommunicator::check_root(Rank root, const char* name) const {
  if (root < size()) return {};
  return invalid(std::string(name) + ": root " + std::to_string(root) + " of " +
                 std::to_string(size()) + " ranks");
}

std::unique_ptr<Operation> TransportCommunicator::run(Identity identity,
                                                      std::unique_ptr<Algorithm> algorithm) {
  auto running = std::make_unique<Running>(*this, identity, std::move(algorithm));
  running_.push_back(running.get());
  return running;
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_all_reduce(
    std::span<std::byte> buffer, AllReduceOptions options) {
  const Identity identity{"all_reduce", buffer.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_buffer(buffer, options));
  const Reduction reduction{options.type, options.op};
  switch (choose_all_reduce({.bytes = buffer.size(), .ranks = size()})) {
    case AllReduceAlgorithm::nothing:
      return run(identity, std::make_unique<Nothing>());
    case AllReduceAlgorithm::recursive_doubling:
      if (buffer.size() > chunks_.chunk_bytes()) break;
      return run(identity, make_recursive_doubling(context_, {buffer, reduction, options.tag}));
    case AllReduceAlgorithm::ring:
      break;
  }
  return run(identity, make_ring(context_, {buffer, reduction, RingPart::all_reduce, options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_reduce_scatter(
    std::span<std::byte> buffer, AllReduceOptions options) {
  const Identity identity{"reduce_scatter", buffer.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_buffer(buffer, options));
  if (size() == 1) return run(identity, std::make_unique<Nothing>());
  const Reduction reduction{options.type, options.op};
  return run(identity,
             make_ring(context_, {buffer, reduction, RingPart::reduce_scatter, options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_all_gather(
    std::span<std::byte> buffer, std::vector<std::uint64_t> block_bytes,
    CollectiveOptions options) {
  const Identity identity{"all_gather", buffer.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_blocks(block_bytes, buffer.size(), "all_gather"));
  if (size() == 1) return run(identity, std::make_unique<Nothing>());
  return run(identity, make_all_gather(context_, {buffer, std::move(block_bytes), options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_broadcast(
    std::span<std::byte> buffer, RootedOptions options) {
  const Identity identity{"broadcast", buffer.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_root(options.root, "broadcast"));
  if (size() == 1) return run(identity, std::make_unique<Nothing>());
  return run(identity, make_broadcast(context_, {buffer, options.root, options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_gather(
    std::span<const std::byte> mine, std::span<std::byte> all,
    std::vector<std::uint64_t> block_bytes, RootedOptions options) {
  const Identity identity{"gather", mine.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_root(options.root, "gather"));
  if (rank() == options.root) PENSTOCK_TRY(check_blocks(block_bytes, all.size(), "gather"));
  if (block_bytes.size() != size() || block_bytes[rank()] != mine.size())
    return invalid("gather: rank " + std::to_string(rank()) + " gives " +
                   std::to_string(mine.size()) + " bytes, which is not its block size");
  return run(identity,
             make_gather(context_, {mine, all, std::move(block_bytes), options.root, options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_scatter(
    std::span<const std::byte> all, std::span<std::byte> mine,
    std::vector<std::uint64_t> block_bytes, RootedOptions options) {
  const Identity identity{"scatter", mine.size(), options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  PENSTOCK_TRY(check_root(options.root, "scatter"));
  if (rank() == options.root) PENSTOCK_TRY(check_blocks(block_bytes, all.size(), "scatter"));
  if (block_bytes.size() != size() || block_bytes[rank()] != mine.size())
    return invalid("scatter: rank " + std::to_string(rank()) + " takes " +
                   std::to_string(mine.size()) + " bytes, which is not its block size");
  return run(identity, make_scatter(context_, {all, mine, std::move(block_bytes), options.root,
                                               options.tag}));
}

Result<std::unique_ptr<Operation>> TransportCommunicator::start_barrier(CollectiveOptions options) {
  const Identity identity{"barrier", 0, options.tag, options.deadline};
  PENSTOCK_TRY(may_start(identity));
  return run(identity, make_barrier(context_, options.tag));
}

}  // namespace

Result<std::unique_ptr<Communicator>> make_communicator(Transport& transport, const Clock& clock,
                                                        CommunicatorOptions options) {
  if (options.chunk_bytes == 0 || options.chunk_bytes % 64 != 0)
    return invalid("communicator: chunks of " + std::to_string(options.chunk_bytes) +
                   " bytes; give a multiple of 64");
  if (options.window == 0) return invalid("communicator: a window of 0 chunks sends nothing");
  return std::unique_ptr<Communicator>(
      std::make_unique<TransportCommunicator>(transport, clock, std::move(options)));
}

}  // namespace penstock::collectives
