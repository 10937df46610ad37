#pragma once

#include <cstdint>
#include <memory>

#include "base/units.h"
#include "executor/runtime/arena.h"
#include "executor/runtime/backend.h"

namespace penstock::runtime {

/// Computes nothing and checks everything: that each operand and the scratch start aligned and lie
/// within the arena. Counts launches, bytes and the time that a device of the given rates would
/// take. The arena is real, so that collectives have something to move.
/// Threads: one
class NullBackend final : public Backend {
 public:
  enum class Pace : std::uint8_t {
    at_once,  // launches return at once
    modelled  // a launch sleeps for its modelled time: a device that takes time but no CPU
  };
  struct Options {
    std::int64_t memory_bytes = std::int64_t{1} << 40;
    double flop_per_second = 1e12;
    double bytes_per_second = 1e11;
    Pace pace = Pace::at_once;
  };
  struct Counts {
    std::int64_t launches = 0;
    double flop = 0, bytes = 0;
    Nanoseconds modelled{};
  };
  explicit NullBackend(Options options) : options_(options) {}

  const Counts& counts() const { return counts_; }

  bool claims(program::OpIndex region, program::OpInputs in) const override;
  std::int64_t kernel_scratch(program::Kernel kernel, program::OpInputs in,
                              const program::Types& results) const override;
  std::int64_t region_scratch(program::OpIndex region, program::OpInputs in) const override;
  std::int64_t memory_bytes() const override { return options_.memory_bytes; }

  std::string_view kind() const override { return "null"; }
  Status allocate(std::int64_t bytes) override;
  std::byte* arena() override;
  /// Errors: internal, naming the operand, its place and the arena's size.
  Status launch(const Launch& launch) override;

 private:
  Options options_;
  Counts counts_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace penstock::runtime
