#include "executor/worker/rank_programs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/compiler/pipeline.h"
#include "executor/worker/slices.h"

namespace penstock::executor {
namespace {

void copy(std::span<const std::byte> from, std::span<std::byte> into) {
  if (!from.empty()) std::memcpy(into.data(), from.data(), from.size());
}

std::string mesh_text(const program::Mesh& mesh) {
  std::string text;
  for (const auto& axis : mesh.axes)
    text += (text.empty() ? "" : " ") + axis.name + "=" + std::to_string(axis.size) +
            (axis.time ? "*" : "");
  return text;
}

const compiler::VariableSlot* find_slot(const compiler::Executable& executable,
                                        const std::string& name) {
  const auto at = std::find_if(executable.variables.begin(), executable.variables.end(),
                               [&](const auto& slot) { return slot.global.name == name; });
  return at == executable.variables.end() ? nullptr : &*at;
}

}  // namespace

Status check_plan(const program::Plan& plan, std::uint32_t ranks) {
  const std::int64_t devices = plan.mesh.devices();
  if (devices != static_cast<std::int64_t>(ranks))
    return invalid("plan: the mesh (" + mesh_text(plan.mesh) + ") has " + std::to_string(devices) +
                   " devices, but the lease has " + std::to_string(ranks) +
                   "; make the plan for the leased number of devices");
  const auto axes = std::count_if(plan.mesh.axes.begin(), plan.mesh.axes.end(),
                                  [](const auto& axis) { return !axis.time && axis.size > 1; });
  if (axes > 1)
    return Error{ErrorCode::unimplemented,
                 "plan: the mesh (" + mesh_text(plan.mesh) +
                     ") has more than one axis of devices, which this build cannot run yet"};
  return {};
}

Buffer RankPrograms::copy_of(std::span<const std::byte> bytes) {
  Buffer buffer = options_.pool->take(bytes.size());
  copy(bytes, buffer.bytes());
  return buffer;
}

std::uint64_t RankPrograms::used_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [number, lane] : lanes_)
    sum += static_cast<std::uint64_t>(lane.executable->arena_bytes);
  return sum;
}

RankResult RankPrograms::execute(const Command& command, Inputs inputs) {
  RankResult result;
  result.started = options_.clock->now();
  result.completion.sequence = command.sequence;
  Status status = dispatch(command, inputs, result);
  if (!status.ok()) {
    result.outputs.clear();
    result.completion.error = std::move(status).error().in(options_.place);
  }
  return result;
}

Status RankPrograms::dispatch(const Command& command, Inputs inputs, RankResult& result) {
  if (command.kind == CommandKind::load) return load(command, result);
  if (command.kind == CommandKind::unload) return unload(command);
  const auto at = lanes_.find(command.lane);
  if (at == lanes_.end())
    return Error{ErrorCode::not_found, "lane " + std::to_string(command.lane) +
                                           " has no program here; it was released or never loaded"};
  Lane& lane = at->second;
  if (lane.failed) return *lane.failed;
  switch (command.kind) {
    case CommandKind::run: {
      if (command.repetition != 0 && command.repetition == lane.ended_repetition) {
        result.completion.skipped = true;
        return {};
      }
      Status status = run(lane, command, inputs, result);
      if (!status.ok()) lane.failed = status.error();
      return status;
    }
    case CommandKind::read_variable:
      return read_variable(lane, command, result);
    case CommandKind::write_variable:
      return write_variable(lane, command, inputs);
    case CommandKind::load:
    case CommandKind::unload:
      break;
  }
  return {};
}

Status RankPrograms::load(const Command& command, RankResult& result) {
  if (lanes_.count(command.lane) != 0)
    return Error{ErrorCode::already_exists,
                 "lane " + std::to_string(command.lane) + " has a program already"};
  PENSTOCK_ASSIGN(const program::Plan plan, program::parse_plan(command.plan));
  PENSTOCK_TRY(check_plan(plan, options_.ranks));
  const std::uint64_t used = used_bytes();
  const std::uint64_t free = options_.memory_bytes - std::min(options_.memory_bytes, used);
  const auto in_memory = [&](Error error) {
    if (used == 0) return error;
    return std::move(error).in("of the device's " + format_bytes(options_.memory_bytes) +
                               " other programs of this lease hold " + format_bytes(used));
  };
  Lane lane;
  lane.backend = options_.make_backend(static_cast<std::int64_t>(free));
  const Instant begin = options_.clock->now();
  compiler::CompileOptions compile_options;
  compile_options.clock = options_.clock;
  auto compiled = compiler::compile(command.name, plan, *lane.backend, compile_options);
  result.completion.compile = options_.clock->now() - begin;
  if (!compiled.ok()) return in_memory(std::move(compiled).error());
  lane.executable = std::make_shared<const compiler::Executable>(std::move(compiled).value());
  result.completion.arena_bytes = static_cast<std::uint64_t>(lane.executable->arena_bytes);
  auto runner = runtime::Runner::create({.executable = *lane.executable,
                                         .rank = options_.rank,
                                         .backend = lane.backend.get(),
                                         .collectives = options_.collectives,
                                         .clock = options_.clock});
  if (!runner.ok()) return in_memory(std::move(runner).error());
  lane.runner = std::move(runner).value();
  result.executable = lane.executable;
  lanes_.emplace(command.lane, std::move(lane));
  return {};
}

Status RankPrograms::unload(const Command& command) {
  // A call that failed half-way may have left collectives that still write into the arena.
  if (options_.collectives != nullptr) options_.collectives->reset(0);
  lanes_.erase(command.lane);
  return {};
}

Status RankPrograms::place_inputs(Lane& lane, const compiler::ExecutableEntry& entry,
                                  const Command& command, Inputs inputs) {
  if (inputs.size() != entry.inputs.size())
    return Error{ErrorCode::internal, "entry " + entry.name + ": " + std::to_string(inputs.size()) +
                                          " inputs came, the entry has " +
                                          std::to_string(entry.inputs.size())};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto into = lane.runner->port_bytes(entry.inputs[i], command.batch_size);
    if (into.size() != inputs[i].size())
      return Error{ErrorCode::internal, "entry " + entry.name + ", input " + entry.inputs[i].name +
                                            ": " + std::to_string(inputs[i].size()) +
                                            " bytes came, this rank's slice has " +
                                            std::to_string(into.size())};
    copy(inputs[i], into);
  }
  return {};
}

Status RankPrograms::collect_outputs(Lane& lane, const compiler::ExecutableEntry& entry,
                                     const Command& command, RankResult& result) {
  for (const auto& port : entry.outputs) {
    PENSTOCK_ASSIGN(const Slice slice,
                    slice_of(lane.executable->plan.mesh, port.operand.sharding,
                             with_rows(port.global, command.batch_size), options_.rank));
    if (slice.whole() && options_.rank != 0) continue;
    result.outputs.push_back(copy_of(lane.runner->port_bytes(port, command.batch_size)));
  }
  return {};
}

Status RankPrograms::run(Lane& lane, const Command& command, Inputs inputs, RankResult& result) {
  const compiler::ExecutableEntry* entry = lane.executable->find_entry(command.name);
  if (entry == nullptr)
    return Error{ErrorCode::not_found, "there is no entry '" + command.name + "'"};
  const Instant begin = options_.clock->now();
  PENSTOCK_TRY(place_inputs(lane, *entry, command, inputs));
  result.completion.input = options_.clock->now() - begin;
  runtime::RunOptions run_options{.batch_size = command.batch_size, .observe = {}};
  if (options_.trace != nullptr)
    run_options.observe = [&](const runtime::Stamp& stamp) {
      const bool compute = stamp.instruction->stream == compiler::Stream::compute;
      options_.trace->span({command.lane, command.sequence, command.name},
                           {.label = stamp.instruction->label,
                            .stream = compute ? "compute" : "communicate",
                            .micro = stamp.micro,
                            .begin = stamp.begin,
                            .end = stamp.end});
    };
  PENSTOCK_ASSIGN(result.completion.times, lane.runner->run(command.name, run_options));
  if (options_.trace != nullptr) options_.trace->flush();
  if (!command.until.empty()) PENSTOCK_TRY(end_repetition(lane, *entry, command));
  return collect_outputs(lane, *entry, command, result);
}

Status RankPrograms::end_repetition(Lane& lane, const compiler::ExecutableEntry& entry,
                                    const Command& command) {
  const auto port = std::find_if(entry.outputs.begin(), entry.outputs.end(),
                                 [&](const auto& output) { return output.name == command.until; });
  if (port == entry.outputs.end())
    return Error{ErrorCode::internal, "entry " + entry.name + " has no output " + command.until};
  const auto elements = lane.runner->port_bytes(*port, command.batch_size);
  if (std::all_of(elements.begin(), elements.end(), [](std::byte b) { return b != std::byte{0}; }))
    lane.ended_repetition = command.repetition;
  return {};
}

Status RankPrograms::read_variable(Lane& lane, const Command& command, RankResult& result) {
  PENSTOCK_ASSIGN(const auto bytes, lane.runner->variable(command.name));
  const compiler::VariableSlot* slot = find_slot(*lane.executable, command.name);
  PENSTOCK_CHECK(slot != nullptr, "the runner knows this variable");
  PENSTOCK_ASSIGN(const Slice slice, slice_of(lane.executable->plan.mesh, slot->operand.sharding,
                                              slot->global.type, options_.rank));
  if (slice.whole() && options_.rank != 0) return {};
  result.outputs.push_back(copy_of(bytes));
  return {};
}

Status RankPrograms::write_variable(Lane& lane, const Command& command, Inputs inputs) {
  PENSTOCK_ASSIGN(const auto bytes, lane.runner->variable(command.name));
  if (inputs.size() != 1 || inputs[0].size() != bytes.size())
    return Error{ErrorCode::internal, "variable " + command.name +
                                          ": the bytes that came do not "
                                          "fit this rank's slice"};
  copy(inputs[0], bytes);
  return {};
}

}  // namespace penstock::executor
