#include "executor/worker/lane.h"

#include <algorithm>
#include <utility>

#include "base/net/rpc_error.h"
#include "executor/worker/slices.h"

namespace penstock::executor {
namespace {

bool is_step(const std::string& entry) {
  return entry == "step" || entry == "update";
}

/// The slowest rank's times, and what all devices were occupied.
void add_times(const CommandOutcome& outcome, Instant arrived, Reply& reply) {
  Nanoseconds slowest{-1};
  for (const RankResult& rank : outcome.ranks) {
    const Completion& done = rank.completion;
    reply.usage.device_ns += done.times.total.count();
    if (done.times.total <= slowest) continue;
    slowest = done.times.total;
    reply.time.input = done.input;
    reply.time.compute = done.times.compute;
    reply.time.communication = done.times.communication;
  }
  reply.time.queue = outcome.started - arrived;
  reply.time.total = outcome.finished - outcome.started;
}

std::string nearest_entries(const compiler::Executable& executable) {
  std::string text;
  for (const auto& entry : executable.entries) text += (text.empty() ? "" : ", ") + entry.name;
  return text;
}

const compiler::VariableSlot* find_slot(const compiler::Executable& executable,
                                        const std::string& name) {
  for (const auto& slot : executable.variables)
    if (slot.global.name == name) return &slot;
  return nullptr;
}

Error no_variable(const compiler::Executable& executable, const std::string& name) {
  std::string some;
  for (std::size_t i = 0; i < executable.variables.size() && i < 8; ++i)
    some += (i == 0 ? "" : ", ") + executable.variables[i].global.name;
  return {ErrorCode::not_found, "there is no variable '" + name + "' (there are " +
                                    std::to_string(executable.variables.size()) + ": " + some +
                                    (executable.variables.size() > 8 ? ", ..." : "") + ")"};
}

}  // namespace

Lane::Lane(Options options)
    : options_(std::move(options)),
      replies_(options_.limits.kept_replies_max, options_.limits.kept_reply_bytes_max),
      tasks_(*this) {}

std::string Lane::place(const CallRequest& request) const {
  std::string text =
      "lane " + std::to_string(options_.number) + ", call " + std::to_string(request.number) +
      ", " + (request.kind == CommandKind::run ? "entry " : std::string(name(request.kind)) + " ") +
      request.name;
  if (request.kind == CommandKind::run && is_step(request.name))
    text += " (step " + std::to_string(steps_ + 1) + ")";
  return text;
}

Error Lane::stick(std::uint64_t number, Error error) {
  // A call that is refused on arrival leaves those before it alone; one of them may fail later.
  if (!sticky_ || number < sticky_from_) {
    sticky_ = std::move(error);
    sticky_from_ = number;
  }
  return *sticky_;
}

namespace {

/// Gives the runs of an answered repetition to who asks again.
net::Task<ReplyPtr> deliver_again(ReplyPtr reply, RepeatRequest repeat) {
  if (reply->runs.size() != reply->run_count)
    net::throw_error({ErrorCode::failed_precondition,
                      "call " + std::to_string(reply->number) + " was answered before; its " +
                          std::to_string(reply->run_count) + " runs are too large to be kept"});
  for (const ReplyPtr& run : reply->runs) {
    auto delivered = repeat.deliver(run);
    co_await delivered;
  }
  co_return reply;
}

}  // namespace

kj::Promise<ReplyPtr> Lane::repeated(const CallRequest& request) {
  const std::uint64_t number = request.number;
  const auto running = running_.find(number);
  if (running != running_.end()) {
    if (!request.repeat) return running->second.addBranch();
    return running->second.addBranch().then(
        [repeat = *request.repeat](ReplyPtr&& reply) -> kj::Promise<ReplyPtr> {
          return deliver_again(std::move(reply), repeat);
        });
  }
  auto kept = replies_.find(number);
  if (kept.ok() && request.repeat) return deliver_again(std::move(kept).value(), *request.repeat);
  if (kept.ok()) return std::move(kept).value();
  if (sticky_) return net::to_exception(*sticky_);
  return net::to_exception(std::move(kept).error().in("lane " + std::to_string(options_.number)));
}

Status Lane::admit(const CallRequest& request) const {
  if (request.number > next_)
    return Error{ErrorCode::failed_precondition,
                 "lane " + std::to_string(options_.number) + ": call " +
                     std::to_string(request.number) + " leaves out call " + std::to_string(next_) +
                     "; the calls of a lane are numbered 1, 2, 3 without a gap"};
  if (running_.size() >= options_.limits.queued_calls_max ||
      queued_bytes_ >= options_.limits.queued_bytes_max)
    return Error{ErrorCode::resource_exhausted,
                 "lane " + std::to_string(options_.number) + ": " +
                     std::to_string(running_.size()) + " calls of " + format_bytes(queued_bytes_) +
                     " are waiting; at most " + std::to_string(options_.limits.queued_calls_max) +
                     " and " + format_bytes(options_.limits.queued_bytes_max) +
                     " may. Wait for answers before sending more"};
  return {};
}

kj::Promise<ReplyPtr> Lane::call(CallRequest request) {
  if (request.number == 0)
    return net::to_exception(invalid("a call's number is missing; they count from 1"));
  if (request.number < next_) return repeated(request);
  if (sticky_) return net::to_exception(*sticky_);
  if (const Status admitted = admit(request); !admitted.ok())
    return net::to_exception(admitted.error());
  ++next_;
  auto prepared = prepare(request);
  if (!prepared.ok())
    return net::to_exception(stick(request.number, std::move(prepared).error().in(place(request))));
  return start(request, std::move(prepared).value());
}

Result<Lane::Prepared> Lane::prepare(const CallRequest& request) const {
  Prepared prepared;
  switch (request.kind) {
    case CommandKind::run: {
      PENSTOCK_ASSIGN(prepared, prepare_run(request));
      break;
    }
    case CommandKind::write_variable: {
      PENSTOCK_ASSIGN(prepared, prepare_write(request));
      break;
    }
    case CommandKind::read_variable:
      if (find_slot(executable(), request.name) == nullptr)
        return no_variable(executable(), request.name);
      break;
    case CommandKind::load:
    case CommandKind::unload:
      return Error{ErrorCode::internal, "not a numbered call"};
  }
  prepared.command.lane = options_.number;
  prepared.command.kind = request.kind;
  prepared.command.name = request.name;
  prepared.arrived = options_.clock->now();
  return prepared;
}

Result<Lane::Prepared> Lane::prepare_run(const CallRequest& request) const {
  const compiler::ExecutableEntry* entry = executable().find_entry(request.name);
  if (entry == nullptr)
    return Error{ErrorCode::not_found, "the program has no entry '" + request.name +
                                           "'; it has: " + nearest_entries(executable())};
  PENSTOCK_ASSIGN(CallInputs given, request.inputs());
  PENSTOCK_ASSIGN(const auto ordered, check_batch(*entry, given.batch));
  if (request.repeat) PENSTOCK_TRY(check_repeat(*entry, *request.repeat));
  Prepared prepared;
  prepared.keep = std::move(given.keep);
  prepared.command.batch_size = given.batch.size;
  if (request.repeat) {
    prepared.command.repetition = request.number;
    prepared.command.until = request.repeat->until;
  }
  prepared.inputs.resize(options_.ranks->ranks());
  for (std::size_t i = 0; i < ordered.size(); ++i)
    PENSTOCK_TRY(cut_for_ranks(ordered[i], entry->inputs[i].operand.sharding, prepared));
  return prepared;
}

Status Lane::check_repeat(const compiler::ExecutableEntry& entry,
                          const RepeatRequest& repeat) const {
  if (repeat.most < 1 || repeat.most > options_.limits.runs_of_repetition_max)
    return invalid("repeat of entry " + entry.name + ": " + std::to_string(repeat.most) +
                   " runs; from 1 to " + std::to_string(options_.limits.runs_of_repetition_max) +
                   " may be asked for");
  if (repeat.until.empty()) return {};
  const auto output = std::find_if(entry.outputs.begin(), entry.outputs.end(),
                                   [&](const auto& port) { return port.name == repeat.until; });
  if (output == entry.outputs.end())
    return Error{ErrorCode::not_found, "repeat of entry " + entry.name + ": it has no output '" +
                                           repeat.until + "' that could end it"};
  const auto& type = output->global;
  PENSTOCK_ASSIGN(const Slice slice, slice_of(executable().plan.mesh, output->operand.sharding,
                                              with_rows(type, 1), 0));
  if (type.dtype != program::DType::boolean || !slice.whole() ||
      program::dynamic_dim(type.shape) >= 0)
    return invalid(
        "repeat of entry " + entry.name + ": output '" + repeat.until + "' is " +
        program::to_text(type) +
        "; what ends a repetition is a bool that every rank has whole, such as a scalar");
  return {};
}

Result<Lane::Prepared> Lane::prepare_write(const CallRequest& request) const {
  PENSTOCK_ASSIGN(CallInputs given, request.inputs());
  const compiler::VariableSlot* slot = find_slot(executable(), request.name);
  if (slot == nullptr) return no_variable(executable(), request.name);
  PENSTOCK_CHECK(given.batch.inputs.size() == 1);
  PENSTOCK_TRY(check_variable(slot->global, given.batch.inputs[0]));
  Prepared prepared;
  prepared.keep = std::move(given.keep);
  prepared.inputs.resize(options_.ranks->ranks());
  PENSTOCK_TRY(cut_for_ranks(given.batch.inputs[0], slot->operand.sharding, prepared));
  return prepared;
}

Status Lane::cut_for_ranks(const GivenTensor& given, const program::Sharding& sharding,
                           Prepared& prepared) const {
  const auto& mesh = executable().plan.mesh;
  prepared.bytes_in += given.bytes.size();
  for (std::uint32_t rank = 0; rank < prepared.inputs.size(); ++rank) {
    PENSTOCK_ASSIGN(const Slice slice, slice_of(mesh, sharding, given.type, rank));
    auto& blobs = prepared.inputs[rank];
    if (const auto piece = in_one_piece(given.bytes, given.type, slice)) {
      blobs.push_back(*piece);
      continue;
    }
    auto part = std::make_shared<Buffer>(options_.pool->take(slice_bytes(given.type, slice)));
    cut(given.bytes, given.type, slice, part->bytes());
    blobs.push_back(std::as_const(*part).bytes());
    prepared.keep.push_back(std::move(part));
  }
  return {};
}

kj::Promise<ReplyPtr> Lane::start(const CallRequest& request, Prepared prepared) {
  queued_bytes_ += prepared.bytes_in;
  prepared.unbilled_bytes = prepared.bytes_in;
  auto held = std::make_shared<Prepared>(std::move(prepared));
  auto outcome = net::settle(in_turn(request, held));
  auto replied = outcome.then([this, request, held](Result<ReplyPtr>&& reply) {
    queued_bytes_ -= held->bytes_in;
    running_.erase(request.number);
    ReplyPtr answer = net::or_throw(std::move(reply));
    replies_.add(answer);
    return answer;
  });
  auto forked = replied.fork();
  auto branch = forked.addBranch();
  // Runs to its end even if the client is gone: the call counts, and its number may come again.
  tasks_.add(forked.addBranch().then([](ReplyPtr&&) {}, [](kj::Exception&&) {}));
  running_.emplace(request.number, kj::mv(forked));
  return branch;
}

kj::Promise<ReplyPtr> Lane::in_turn(const CallRequest& request,
                                    std::shared_ptr<Prepared> prepared) {
  if (!repeating_ && waiting_.empty()) return execute(request, std::move(prepared));
  auto pair = kj::newPromiseAndFulfiller<kj::Promise<ReplyPtr>>();
  auto turn = std::make_shared<kj::Own<kj::PromiseFulfiller<kj::Promise<ReplyPtr>>>>(
      kj::mv(pair.fulfiller));
  waiting_.push_back([this, request, prepared = std::move(prepared), turn]() mutable {
    (*turn)->fulfill(execute(request, std::move(prepared)));
  });
  return kj::mv(pair.promise);
}

kj::Promise<ReplyPtr> Lane::execute(const CallRequest& request,
                                    std::shared_ptr<Prepared> prepared) {
  if (request.repeat) return execute_repeat(request, std::move(prepared));
  return options_.ranks->run(prepared->command, std::move(prepared->inputs))
      .then([this, request, prepared](CommandOutcome&& outcome) {
        return net::or_throw(finish(request, *prepared, kj::mv(outcome)));
      });
}

kj::Promise<ReplyPtr> Lane::execute_repeat(const CallRequest& request,
                                           std::shared_ptr<Prepared> prepared) {
  repeating_ = true;
  RepetitionParts parts;
  parts.ranks = options_.ranks;
  parts.command = prepared->command;
  parts.inputs = prepared->inputs;
  parts.most = request.repeat->most;
  parts.deliver = request.repeat->deliver;
  parts.finish = [this, request, prepared](CommandOutcome outcome) {
    return finish(request, *prepared, std::move(outcome));
  };
  kj::Promise<std::vector<ReplyPtr>> runs = repeat(std::move(parts));
  return net::settle(kj::mv(runs)).then([this, request](Result<std::vector<ReplyPtr>>&& done) {
    end_repetition();
    const auto runs = net::or_throw(std::move(done));
    return sum_of(runs, request.number, options_.limits.kept_reply_bytes_max / 4);
  });
}

void Lane::end_repetition() {
  repeating_ = false;
  while (!repeating_ && !waiting_.empty()) {
    const auto next = std::move(waiting_.front());
    waiting_.pop_front();
    next();
  }
}

Result<OutputTensor> Lane::assemble(const std::string& name, const program::TensorType& whole,
                                    const program::Sharding& sharding, CommandOutcome& outcome,
                                    std::vector<std::size_t>& taken) const {
  const auto& mesh = executable().plan.mesh;
  OutputTensor output{name, whole, {}};
  PENSTOCK_ASSIGN(const Slice first, slice_of(mesh, sharding, whole, 0));
  if (first.whole()) {
    output.bytes = std::move(outcome.ranks[0].outputs[taken[0]++]);
    return output;
  }
  output.bytes = options_.pool->take(static_cast<std::size_t>(program::byte_count(whole)));
  for (std::uint32_t rank = 0; rank < outcome.ranks.size(); ++rank) {
    PENSTOCK_ASSIGN(const Slice slice, slice_of(mesh, sharding, whole, rank));
    auto& outputs = outcome.ranks[rank].outputs;
    if (taken[rank] >= outputs.size() || outputs[taken[rank]].size() != slice_bytes(whole, slice))
      return Error{ErrorCode::internal, "output " + name + ": rank " + std::to_string(rank) +
                                            " sent a slice of another size than its part"};
    paste(std::as_const(outputs[taken[rank]++]).bytes(), whole, slice, output.bytes.bytes());
  }
  return output;
}

Result<ReplyPtr> Lane::finish(const CallRequest& request, Prepared& prepared,
                              CommandOutcome outcome) {
  if (sticky_ && request.number >= sticky_from_) return *sticky_;
  if (outcome.error) return stick(request.number, std::move(*outcome.error).in(place(request)));
  auto reply = std::make_shared<Reply>();
  reply->number = request.number;
  std::vector<std::size_t> taken(outcome.ranks.size(), 0);
  const auto add = [&](const std::string& name, const program::TensorType& type,
                       const program::Sharding& sharding) -> Status {
    auto output = assemble(name, type, sharding, outcome, taken);
    if (!output.ok()) return stick(request.number, std::move(output).error().in(place(request)));
    reply->outputs.push_back(std::move(output).value());
    return {};
  };
  if (request.kind == CommandKind::run)
    for (const auto& port : executable().find_entry(request.name)->outputs)
      PENSTOCK_TRY(add(port.name, with_rows(port.global, prepared.command.batch_size),
                       port.operand.sharding));
  if (request.kind == CommandKind::read_variable) {
    const auto* slot = find_slot(executable(), request.name);
    PENSTOCK_TRY(add(request.name, slot->global.type, slot->operand.sharding));
  }
  add_times(outcome, prepared.arrived, *reply);
  reply->usage.bytes_in = static_cast<std::int64_t>(std::exchange(prepared.unbilled_bytes, 0));
  reply->usage.bytes_out = static_cast<std::int64_t>(reply->output_bytes());
  if (request.kind == CommandKind::run && is_step(request.name)) {
    reply->usage.steps = 1;
    ++steps_;
  }
  reply->step = steps_;
  reply->usage.price = price_of(options_.prices, reply->usage);
  options_.report(reply->usage);
  return ReplyPtr(std::move(reply));
}

void Lane::taskFailed(kj::Exception&&) {}

}  // namespace penstock::executor
