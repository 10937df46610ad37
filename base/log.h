#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace penstock {

enum class LogLevel { debug, info, warning, error };

std::string_view name(LogLevel level);

/// Where a part reports what it did. `main` chooses the sink.
class Log {
 public:
  virtual ~Log() = default;
  /// Threads: any
  virtual void write(LogLevel level, std::string_view part, std::string_view message) = 0;

  void debug(std::string_view part, std::string_view m) { write(LogLevel::debug, part, m); }
  void info(std::string_view part, std::string_view m) { write(LogLevel::info, part, m); }
  void warning(std::string_view part, std::string_view m) { write(LogLevel::warning, part, m); }
  void error(std::string_view part, std::string_view m) { write(LogLevel::error, part, m); }
};

/// One line per message on standard error, from `least` upwards: `12:00:00.123 info gateway: text`.
class StderrLog final : public Log {
 public:
  explicit StderrLog(LogLevel least = LogLevel::info) : least_(least) {}
  void write(LogLevel level, std::string_view part, std::string_view message) override;

 private:
  LogLevel least_;
};

/// Drops everything. For tests that do not look.
class NullLog final : public Log {
 public:
  void write(LogLevel, std::string_view, std::string_view) override {}
};

}  // namespace penstock
