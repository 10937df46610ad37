#include "executor/worker/command.h"

#include <cstring>

namespace penstock::executor {
namespace {

constexpr std::uint64_t kBlobsMax = 4096;
constexpr std::uint64_t kBlobBytesMax = std::uint64_t{1} << 40;

class Writer {
 public:
  void number(std::uint64_t value) {
    char raw[8];
    std::memcpy(raw, &value, 8);
    bytes_.append(raw, 8);
  }
  void signed_number(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_.append(value);
  }
  void numbers(const std::vector<std::uint64_t>& values) {
    number(values.size());
    for (const std::uint64_t value : values) number(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what Writer wrote. After the first fault everything reads as zero and `ended` fails.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number() {
    if (rest_.size() < 8) return fail();
    std::uint64_t value = 0;
    std::memcpy(&value, rest_.data(), 8);
    rest_.remove_prefix(8);
    return value;
  }
  std::int64_t signed_number() { return static_cast<std::int64_t>(number()); }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }
  std::vector<std::uint64_t> blob_bytes() {
    const std::uint64_t count = number();
    if (count > kBlobsMax || count * 8 > rest_.size()) {
      fail();
      return {};
    }
    std::vector<std::uint64_t> values(count);
    for (auto& value : values) {
      value = number();
      if (value > kBlobBytesMax) fail();
    }
    return values;
  }
  Status ended(const char* what) const {
    if (ok_ && rest_.empty()) return {};
    return Error{ErrorCode::data_loss, std::string(what) + " from another rank is damaged"};
  }

 private:
  std::uint64_t fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string_view name(CommandKind kind) {
  switch (kind) {
    case CommandKind::load:
      return "load";
    case CommandKind::unload:
      return "unload";
    case CommandKind::run:
      return "run";
    case CommandKind::read_variable:
      return "read_variable";
    case CommandKind::write_variable:
      return "write_variable";
  }
  return "?";
}

std::string encode(const Command& command, const std::vector<std::uint64_t>& blob_bytes) {
  Writer out;
  out.number(command.sequence);
  out.number(command.lane);
  out.number(static_cast<std::uint64_t>(command.kind));
  out.text(command.name);
  out.text(command.plan);
  out.signed_number(command.batch_size);
  out.number(command.repetition);
  out.text(command.until);
  out.numbers(blob_bytes);
  return out.take();
}

Result<Decoded<Command>> decode_command(std::string_view bytes) {
  Reader in(bytes);
  Decoded<Command> decoded;
  decoded.body.sequence = in.number();
  decoded.body.lane = in.number();
  const std::uint64_t kind = in.number();
  decoded.body.name = in.text();
  decoded.body.plan = in.text();
  decoded.body.batch_size = in.signed_number();
  decoded.body.repetition = in.number();
  decoded.body.until = in.text();
  decoded.blob_bytes = in.blob_bytes();
  PENSTOCK_TRY(in.ended("a command"));
  if (kind > static_cast<std::uint64_t>(CommandKind::write_variable))
    return Error{ErrorCode::data_loss, "a command has the unknown kind " + std::to_string(kind)};
  decoded.body.kind = static_cast<CommandKind>(kind);
  return decoded;
}

std::string encode(const Completion& completion, const std::vector<std::uint64_t>& blob_bytes) {
  Writer out;
  out.number(completion.sequence);
  out.text(completion.error ? name(completion.error->code) : std::string_view());
  out.text(completion.error ? std::string_view(completion.error->message) : std::string_view());
  out.signed_number(completion.times.compute.count());
  out.signed_number(completion.times.communication.count());
  out.signed_number(completion.times.total.count());
  out.signed_number(completion.input.count());
  out.number(completion.arena_bytes);
  out.signed_number(completion.compile.count());
  out.number(completion.skipped ? 1 : 0);
  out.numbers(blob_bytes);
  return out.take();
}

Result<Decoded<Completion>> decode_completion(std::string_view bytes) {
  Reader in(bytes);
  Decoded<Completion> decoded;
  decoded.body.sequence = in.number();
  const std::string code = in.text();
  const std::string message = in.text();
  decoded.body.times.compute = Nanoseconds(in.signed_number());
  decoded.body.times.communication = Nanoseconds(in.signed_number());
  decoded.body.times.total = Nanoseconds(in.signed_number());
  decoded.body.input = Nanoseconds(in.signed_number());
  decoded.body.arena_bytes = in.number();
  decoded.body.compile = Nanoseconds(in.signed_number());
  decoded.body.skipped = in.number() != 0;
  decoded.blob_bytes = in.blob_bytes();
  PENSTOCK_TRY(in.ended("a completion"));
  if (!code.empty())
    decoded.body.error = Error{parse_error_code(code).value_or(ErrorCode::internal), message};
  return decoded;
}

}  // namespace penstock::executor
