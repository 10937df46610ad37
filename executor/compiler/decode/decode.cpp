#include "executor/compiler/decode/decode.h"

#include "schema/program/text.h"

namespace penstock::compiler {

Result<program::Program> decode(std::string_view text) {
  return program::parse(text);
}

}  // namespace penstock::compiler
