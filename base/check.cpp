#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace penstock {

void check_failed(const char* file, int line, const char* condition, std::string_view note) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%.*s\n", file, line, condition,
               note.empty() ? "" : ": ", static_cast<int>(note.size()), note.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace penstock
