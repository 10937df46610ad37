#include "executor/compiler/precision/precision.h"

#include <string>

namespace penstock::compiler {

Result<program::Program> choose_precision(program::Program program) {
  for (const program::Entry& entry : program.entries)
    for (std::size_t i = 0; i < entry.values.size(); ++i)
      if (const program::TensorType& type = entry.values[i].type; !has_kernels(type.dtype))
        return Error{ErrorCode::unimplemented, "entry " + entry.name + ", %" + std::to_string(i) +
                                                   ": " + to_text(type) +
                                                   " has no kernels yet; cast it to f32 or f64"};
  return program;
}

}  // namespace penstock::compiler
