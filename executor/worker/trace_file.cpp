#include "executor/worker/trace_file.h"

namespace penstock::executor {
namespace {

/// Labels are made by the compiler out of op names and checked names; quotes cannot occur, but a
/// trace must stay readable whatever comes.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c >= ' ' && c != '"' && c != '\\') out += c;
  return out + "\"";
}

std::string micros(Instant at) {
  std::string fraction = std::to_string(at.ns % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return std::to_string(at.ns / 1000) + "." + fraction;
}

}  // namespace

Result<std::unique_ptr<TraceFile>> TraceFile::create(const std::string& path) {
  std::ofstream out(path, std::ios::trunc);
  if (!out) return Error{ErrorCode::permission_denied, "trace: cannot write the file " + path};
  out << "[\n";
  return std::unique_ptr<TraceFile>(new TraceFile(std::move(out)));
}

void TraceFile::set_rank(std::uint32_t rank) {
  const std::lock_guard lock(mutex_);
  rank_ = rank;
}

void TraceFile::span(const TraceCall& call, const TraceSpan& span) {
  const std::lock_guard lock(mutex_);
  out_ << R"({"ph":"X","name":)" << quoted(span.label) << R"(,"pid":)" << rank_ << R"(,"tid":)"
       << quoted(span.stream) << R"(,"ts":)" << micros(span.begin) << R"(,"dur":)"
       << micros(Instant{span.end.ns - span.begin.ns}) << R"(,"args":{"lane":)" << call.lane
       << R"(,"sequence":)" << call.sequence << R"(,"entry":)" << quoted(call.entry)
       << R"(,"micro":)" << span.micro << "}},\n";
}

void TraceFile::chunk(std::string_view label, std::uint32_t peer, std::uint64_t bytes, Instant at) {
  const std::lock_guard lock(mutex_);
  out_ << R"({"ph":"i","s":"t","name":"chunk received","pid":)" << rank_
       << R"(,"tid":"communicate","ts":)" << micros(at) << R"(,"args":{"label":)" << quoted(label)
       << R"(,"from":)" << peer << R"(,"bytes":)" << bytes << "}},\n";
}

void TraceFile::flush() {
  const std::lock_guard lock(mutex_);
  out_.flush();
}

}  // namespace penstock::executor
