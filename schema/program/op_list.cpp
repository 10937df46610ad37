#include "schema/program/op_list.h"

#include <unordered_map>

namespace penstock::program {
namespace {

template <class Op>
OpRow make_row() {
  static_assert(OpDefinition<Op>,
                "an op lacks one of: name, summary, arity, attributes(), infer(), sharding(), "
                "cost(), examples()");
  static_assert(HasKernel<Op> != IsRegion<Op>, "an op has either a kernel or an expand()");
  static_assert(HasGradient<Op> != SaysNoGradient<Op>,
                "an op has either a gradient() or differentiable = false");
  static_assert(WholeOp<Op>);
  OpRow row;
  row.name = Op::name;
  row.summary = Op::summary;
  row.arity = Op::arity;
  row.attributes = Op::attributes();
  row.infer = &Op::infer;
  row.sharding = &Op::sharding;
  row.cost = &Op::cost;
  row.examples = &Op::examples;
  if constexpr (HasKernel<Op>) row.kernel = Op::kernel;
  if constexpr (IsRegion<Op>) row.expand = &Op::expand;
  if constexpr (HasGradient<Op>) row.gradient = &Op::gradient;
  if constexpr (HasResize<Op>) row.resize = &Op::resize;
  return row;
}

template <class... Ops>
std::vector<OpRow> make_rows(TypeList<Ops...>) {
  return {make_row<Ops>()...};
}

const std::vector<OpRow>& rows() {
  static const std::vector<OpRow> table = make_rows(OpList{});
  return table;
}

std::unordered_map<std::string_view, OpIndex> index_by_name() {
  std::unordered_map<std::string_view, OpIndex> out;
  for (std::size_t i = 0; i < rows().size(); ++i)
    PENSTOCK_CHECK(out.emplace(rows()[i].name, static_cast<OpIndex>(i)).second,
                   "two ops are called " + std::string(rows()[i].name));
  return out;
}

}  // namespace

std::span<const OpRow> op_table() {
  return rows();
}

const OpRow& op_row(OpIndex op) {
  PENSTOCK_CHECK(op < rows().size(), "there is no op " + std::to_string(op));
  return rows()[op];
}

std::optional<OpIndex> find_op(std::string_view name) {
  static const std::unordered_map<std::string_view, OpIndex> by_name = index_by_name();
  const auto at = by_name.find(name);
  if (at == by_name.end()) return std::nullopt;
  return at->second;
}

}  // namespace penstock::program
