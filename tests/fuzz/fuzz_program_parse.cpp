// Decodes bytes as a program's text. What is accepted must print and read back unchanged, and every
// table of the op list must be able to look at it.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "schema/program/op.h"
#include "schema/program/text.h"
#include "schema/program/verify.h"

using namespace penstock;
using namespace penstock::program;

namespace {

void look_at(const Entry& entry) {
  for (const Node& node : entry.nodes) {
    Types operands;
    for (const ValueId id : node.inputs) operands.push_back(entry.type(id));
    const OpRow& row = op_row(node.op);
    const OpInputs in{operands, node.attributes};
    const ShardingRule rule = row.sharding(in);
    PENSTOCK_CHECK(rule.operands.size() == node.inputs.size());
    PENSTOCK_CHECK(rule.results.size() == node.outputs.size());
    for (std::size_t i = 0; i < operands.size(); ++i)
      PENSTOCK_CHECK(rule.operands[i].size() == operands[i].shape.size());
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      PENSTOCK_CHECK(rule.results[i].size() == entry.type(node.outputs[i]).shape.size());
    const Cost cost = row.cost(in);
    PENSTOCK_CHECK(cost.flop >= 0 && cost.bytes >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Program> program =
      parse({reinterpret_cast<const char*>(data), size}, {.text_bytes = 1 << 16});
  if (!program.ok()) return 0;
  const std::string text = print(*program);
  const Result<Program> again = parse(text);
  PENSTOCK_CHECK(again.ok(), again.ok() ? "" : again.error().message + " in\n" + text);
  PENSTOCK_CHECK(*again == *program, text);
  PENSTOCK_CHECK(print(*again) == text);
  for (const Entry& entry : program->entries) look_at(entry);
  return 0;
}
