#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/program/op.h"
#include "schema/program/program.h"

namespace penstock::program {

/// Adds nodes to one entry of a program. Every step is checked at once, so that an error names the
/// line of the user's code that caused it.
/// Threads: one
class Builder {
 public:
  /// Appends to `program.entries[entry]`. Both outlive the builder.
  Builder(Program& program, std::size_t entry) : program_(program), entry_(entry) {}

  Program& program() { return program_; }
  const Entry& entry() const { return program_.entries[entry_]; }
  const TensorType& type(ValueId id) const { return entry().type(id); }

  /// Errors: invalid_argument `op %7: what is wrong, with shapes`; already_exists for a taken name.
  Result<ValueId> try_input(std::string name, TensorType type);
  Result<ValueId> try_read(std::string_view variable);
  Result<std::vector<ValueId>> try_apply(std::string_view op, std::span<const ValueId> inputs,
                                         Attributes attributes);
  Status try_output(std::string name, ValueId value);
  Status try_write(std::string_view variable, ValueId value);

  /// For gradients, expansions and stages, where a mistake is a defect: failed checks instead.
  ValueId apply(std::string_view op, std::initializer_list<ValueId> inputs,
                Attributes attributes = {});
  std::vector<ValueId> apply_all(std::string_view op, std::span<const ValueId> inputs,
                                 Attributes attributes = {});
  ValueId constant(double value, DType dtype);
  /// Broadcasts a scalar (rank 0) to the type's shape.
  ValueId fill_like(double value, const TensorType& type);
  ValueId broadcast_scalar(ValueId scalar, const Shape& shape);
  /// Operand dimension i becomes dimension dims[i] of `shape`.
  ValueId broadcast(ValueId value, const Shape& shape, std::vector<std::int64_t> dims);

 private:
  Program& program_;
  std::size_t entry_;
};

/// Declares a variable.
/// Errors: already_exists, or invalid_argument for a bad name, a dynamic shape or a size past
/// limits.
Status add_variable(Program& program, Variable variable, const Limits& limits = {});

}  // namespace penstock::program
