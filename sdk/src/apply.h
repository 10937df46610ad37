#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "penstock/ops.h"
#include "schema/program/attributes.h"

namespace penstock::detail {

using Integers = std::vector<std::int64_t>;

// How the functions of penstock/ops.h and its neighbours apply ops: checked at once, in the entry
// of their operands.

Value unary(std::string_view op, const Value& x, program::Attributes attributes = {});
Value binary(std::string_view op, const Value& a, const Value& b,
             program::Attributes attributes = {});
/// The smaller operand is repeated by numpy's rules.
Value aligned(std::string_view op, const Value& a, const Value& b,
              program::Attributes attributes = {});

/// A dimension from 0; -1 is the last. Errors: Exception naming op and value
std::int64_t dim_of(std::string_view op, const Value& x, int dim);
/// Increasing and complete: all dimensions where none are given.
Integers dims_of(std::string_view op, const Value& x, const Dims& dims);
/// Over all dimensions where none are given; a scalar is its own reduction.
Value reduce(std::string_view op, const Value& x, const Dims& dims,
             program::Attributes attributes = {});

}  // namespace penstock::detail
