#include "base/log.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace penstock {

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

void StderrLog::write(LogLevel level, std::string_view part, std::string_view message) {
  if (level < least_) return;
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  // One call, so that lines of several threads do not mix.
  std::string line(40, '\0');
  const int n = std::snprintf(line.data(), line.size(), "%02d:%02d:%02d.%03d ", parts.tm_hour,
                              parts.tm_min, parts.tm_sec, static_cast<int>(millis));
  line.resize(static_cast<std::size_t>(n));
  line.append(name(level)).append(" ").append(part).append(": ").append(message).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace penstock
