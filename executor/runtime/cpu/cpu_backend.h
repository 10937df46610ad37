#pragma once

#include <cstdint>
#include <memory>

#include "executor/runtime/backend.h"

namespace penstock::runtime {

/// A device made of CPU threads and a declared amount of memory. f32 through oneDNN and f64 through
/// OpenBLAS for contractions and convolutions, vectorised loops of our own for the rest.
/// Threads: one; it uses OpenMP threads of its own, `threads` in all.
class CpuBackend final : public Backend {
 public:
  struct Options {
    int threads = 1;
    std::int64_t memory_bytes = 0;  // the arena may not exceed it
  };
  explicit CpuBackend(Options options);
  ~CpuBackend() override;

  bool claims(program::OpIndex region, program::OpInputs in) const override;
  std::int64_t kernel_scratch(program::Kernel kernel, program::OpInputs in,
                              const program::Types& results) const override;
  std::int64_t region_scratch(program::OpIndex region, program::OpInputs in) const override;
  std::int64_t memory_bytes() const override;

  std::string_view kind() const override { return "cpu"; }
  Status allocate(std::int64_t bytes) override;
  std::byte* arena() override;
  Status launch(const Launch& launch) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace penstock::runtime
