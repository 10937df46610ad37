#pragma once

#include <cstdint>

#include "executor/compiler/target.h"

namespace penstock::compiler {

/// A device that claims every region or none, and needs no work space.
class FakeTarget final : public Target {
 public:
  struct Options {
    bool claims = false;
    std::int64_t memory_bytes = std::int64_t{1} << 40;
    std::int64_t scratch_bytes = 0;
  };
  explicit FakeTarget(Options options) : options_(options) {}

  bool claims(program::OpIndex, program::OpInputs) const override { return options_.claims; }
  std::int64_t kernel_scratch(program::Kernel kernel, program::OpInputs,
                              const program::Types&) const override {
    return kernel == program::Kernel::contract_matmul ? options_.scratch_bytes : 0;
  }
  std::int64_t region_scratch(program::OpIndex, program::OpInputs) const override { return 0; }
  std::int64_t memory_bytes() const override { return options_.memory_bytes; }

 private:
  Options options_;
};

}  // namespace penstock::compiler
