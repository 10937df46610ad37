#include "executor/worker/explain.h"

#include <fstream>
#include <ostream>
#include <sstream>

#include "base/clock.h"
#include "executor/compiler/pipeline.h"
#include "schema/program/sharding.h"

namespace penstock::executor {
namespace {

Result<std::string> read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::not_found, "explain: cannot read the file " + path};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

Status explain(const ExplainOptions& options, const BackendFactory& make_backend,
               std::ostream& out) {
  PENSTOCK_ASSIGN(const std::string program, read_text(options.program_path));
  PENSTOCK_ASSIGN(const std::string plan_text, read_text(options.plan_path));
  PENSTOCK_ASSIGN(const program::Plan plan, program::parse_plan(plan_text));
  const MonotonicClock clock;
  bool shown = false;
  compiler::CompileOptions compile_options;
  compile_options.off = options.off;
  compile_options.dump = true;
  compile_options.clock = &clock;
  compile_options.report = [&](const compiler::StageReport& report) {
    if (!options.stage.empty() && options.stage != report.stage) return;
    shown = true;
    out << "=== " << report.number << " " << report.stage << " ";
    out << (report.skipped ? "(skipped)" : format_duration(report.time)) << "\n";
    out << report.text;
    if (!report.text.empty() && report.text.back() != '\n') out << "\n";
    out << "\n";
  };
  const auto backend = make_backend(static_cast<std::int64_t>(options.memory_bytes));
  PENSTOCK_ASSIGN(const auto executable,
                  compiler::compile(program, plan, *backend, compile_options));
  if (!shown)
    return Error{ErrorCode::not_found, "explain: there is no stage '" + options.stage + "'"};
  out << "arena: " << format_bytes(static_cast<std::uint64_t>(executable.arena_bytes))
      << " per device\n";
  return {};
}

}  // namespace penstock::executor
