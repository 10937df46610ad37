#pragma once

#include <string>
#include <string_view>

namespace penstock {

/// Prints the place, the condition and the note to standard error, then aborts. Never returns.
/// Threads: any
[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               std::string_view note);

}  // namespace penstock

/// What cannot happen in a right program. Stays on in release builds: a wrong result that is
/// delivered costs more than the branch.
#define PENSTOCK_CHECK(condition, ...)                                                      \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::penstock::check_failed(__FILE__, __LINE__, #condition, ::std::string(__VA_ARGS__)); \
  } while (false)
