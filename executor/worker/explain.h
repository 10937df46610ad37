#pragma once

#include <iosfwd>
#include <set>
#include <string>

#include "base/result.h"
#include "executor/worker/backend_choice.h"

namespace penstock::executor {

struct ExplainOptions {
  std::string program_path;
  std::string plan_path;
  std::set<std::string, std::less<>> off;  // stages to leave out
  std::string stage;                       // "": all of them
  std::uint64_t memory_bytes = 0;
};

/// Compiles a program for the backend and prints every stage: number, name, time, and the text
/// after it. Errors: not_found for a file or stage; the compiler's
Status explain(const ExplainOptions& options, const BackendFactory& make_backend,
               std::ostream& out);

}  // namespace penstock::executor
