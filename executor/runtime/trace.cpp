#include "executor/runtime/trace.h"

#include <cerrno>
#include <cstring>
#include <string_view>

namespace penstock::runtime {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// Nanoseconds as microseconds with three decimals; exact, unlike a double after some months up.
std::string microseconds(std::int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

std::string thread_name(std::int64_t rank, int tid, std::string_view name) {
  return "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":" + std::to_string(rank) +
         ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":" + quoted(name) + "}}";
}

}  // namespace

std::string trace_event(const Stamp& stamp, std::int64_t rank) {
  const int tid = stamp.instruction->stream == compiler::Stream::compute ? 0 : 1;
  return "{\"name\":" + quoted(stamp.instruction->label) +
         ",\"ph\":\"X\",\"ts\":" + microseconds(stamp.begin.ns) +
         ",\"dur\":" + microseconds((stamp.end - stamp.begin).count()) +
         ",\"pid\":" + std::to_string(rank) + ",\"tid\":" + std::to_string(tid) +
         ",\"args\":{\"micro\":" + std::to_string(stamp.micro) + "}}";
}

Result<std::unique_ptr<TraceFile>> TraceFile::open(const std::string& path, std::int64_t rank) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    return Error{ErrorCode::unavailable,
                 "cannot write trace file '" + path + "': " + std::strerror(errno)};
  }
  const std::string head =
      "[\n" + thread_name(rank, 0, "compute") + ",\n" + thread_name(rank, 1, "communicate");
  std::fputs(head.c_str(), file);
  return std::unique_ptr<TraceFile>(new TraceFile(file, rank));
}

TraceFile::~TraceFile() {
  std::fputs("\n]\n", file_);
  std::fclose(file_);
}

void TraceFile::add(const Stamp& stamp) {
  const std::string line = ",\n" + trace_event(stamp, rank_);
  std::fputs(line.c_str(), file_);
}

}  // namespace penstock::runtime
