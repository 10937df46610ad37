#pragma once

#include <cstdint>

#include "schema/program/kernel.h"
#include "schema/program/op.h"

namespace penstock::compiler {

/// What the compiler asks of the backend that it compiles for. Pure: answers depend on the
/// arguments alone, so that every rank compiles the same executable.
class Target {
 public:
  virtual ~Target() = default;

  /// Whether the backend runs the region whole on these operand types. Otherwise emit inlines its
  /// expansion: refusing changes speed only.
  virtual bool claims(program::OpIndex region, program::OpInputs in) const = 0;
  /// Work space in bytes that one launch needs beside its operands; from bounds, so that it holds
  /// for every true size.
  virtual std::int64_t kernel_scratch(program::Kernel kernel, program::OpInputs in,
                                      const program::Types& results) const = 0;
  virtual std::int64_t region_scratch(program::OpIndex region, program::OpInputs in) const = 0;
  /// Bytes of the device that a program may use, the arena included.
  virtual std::int64_t memory_bytes() const = 0;
};

}  // namespace penstock::compiler
