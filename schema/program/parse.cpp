#include <charconv>
#include <unordered_map>

#include "schema/program/op.h"
#include "schema/program/text.h"
#include "schema/program/verify.h"

namespace penstock::program {
namespace {

using Integers = std::vector<std::int64_t>;

/// Moves over the text once. Every item that is read is bounded before it is kept.
class Reader {
 public:
  Reader(std::string_view text, const Limits& limits) : text_(text), limits_(limits) {}

  /// `line 7, column 12: message`, at the place where the last item began.
  Error fail(std::string message, ErrorCode code = ErrorCode::invalid_argument) const {
    std::int64_t line = 1, column = 1;
    for (const char c : text_.substr(0, item_)) {
      ++column;
      if (c != '\n') continue;
      ++line;
      column = 1;
    }
    return {code, "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " +
                      std::move(message)};
  }

  /// Skips blank lines and comments; false at the end of the text.
  bool next_line() {
    while (true) {
      skip_blanks();
      item_ = at_;
      if (at_ >= text_.size()) return false;
      if (text_[at_] != '\n') return true;
      ++at_;
    }
  }

  Status end_line() {
    skip_blanks();
    item_ = at_;
    if (at_ < text_.size() && text_[at_] != '\n') return fail("expected the end of the line");
    return {};
  }

  bool take(char c) {
    skip_blanks();
    item_ = at_;
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status expect(char c) {
    if (take(c)) return {};
    return fail(std::string("expected '") + c + "'");
  }

  bool peek_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }

  /// A name or keyword.
  Result<std::string_view> word(std::string_view what) {
    const std::string_view out = span([](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '.' || c == '-' || c == '/';
    });
    if (out.empty()) return fail("expected " + std::string(what));
    if (static_cast<std::int64_t>(out.size()) > limits_.name_bytes)
      return fail("expected " + std::string(what) + " of at most " +
                  std::to_string(limits_.name_bytes) + " bytes");
    return out;
  }

  Status keyword(std::string_view expected) {
    PENSTOCK_ASSIGN(const std::string_view got, word("'" + std::string(expected) + "'"));
    if (got == expected) return {};
    return fail("expected '" + std::string(expected) + "', got '" + std::string(got) + "'");
  }

  template <class Integer>
  Result<Integer> integer() {
    const std::string_view out = number_text();
    Integer value = 0;
    const auto [end, failure] = std::from_chars(out.data(), out.data() + out.size(), value);
    if (failure != std::errc() || end != out.data() + out.size())
      return fail("expected an integer, got '" + shown(out) + "'");
    return value;
  }

  Result<double> real() {
    const std::string_view out = number_text();
    double value = 0;
    const auto [end, failure] = std::from_chars(out.data(), out.data() + out.size(), value);
    if (failure != std::errc() || end != out.data() + out.size() || value != value)
      return fail("expected a number, got '" + shown(out) + "'");
    return value;
  }

  /// `f32[<=64,784]`, without spaces.
  Result<TensorType> type() {
    skip_blanks();
    item_ = at_;
    while (at_ < text_.size() && text_[at_] != ']' && text_[at_] > ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == ']') ++at_;
    Result<TensorType> type = parse_type(text_.substr(item_, at_ - item_));
    if (!type.ok()) return fail(std::move(type).error().message);
    if (static_cast<std::int64_t>(type->shape.size()) > limits_.rank)
      return fail("more dimensions than the limit of " + std::to_string(limits_.rank));
    return type;
  }

  Result<Attribute> attribute() {
    if (take('[')) return integers();
    const std::string_view out = number_text();
    if (out == "true") return Attribute(true);
    if (out == "false") return Attribute(false);
    if (const std::optional<DType> dtype = parse_dtype(out)) return Attribute(*dtype);
    at_ = item_;  // read it again as a number
    if (out.find_first_of(".en") == std::string_view::npos) {
      PENSTOCK_ASSIGN(const std::int64_t value, integer<std::int64_t>());
      return Attribute(value);
    }
    PENSTOCK_ASSIGN(const double value, real());
    return Attribute(value);
  }

 private:
  static constexpr std::size_t kListMax = 64;

  static std::string shown(std::string_view text) { return std::string(text.substr(0, 40)); }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
    if (at_ < text_.size() && text_[at_] == '#')
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  template <class Belongs>
  std::string_view span(Belongs belongs) {
    skip_blanks();
    item_ = at_;
    while (at_ < text_.size() && belongs(text_[at_])) ++at_;
    return text_.substr(item_, at_ - item_);
  }

  std::string_view number_text() {
    return span([](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+';
    });
  }

  Result<Attribute> integers() {
    Integers list;
    if (take(']')) return Attribute(std::move(list));
    while (true) {
      PENSTOCK_ASSIGN(const std::int64_t item, integer<std::int64_t>());
      if (list.size() >= kListMax)
        return fail("a list has more than " + std::to_string(kListMax) + " items");
      list.push_back(item);
      if (take(']')) return Attribute(std::move(list));
      PENSTOCK_TRY(expect(','));
    }
  }

  std::string_view text_;
  const Limits& limits_;
  std::size_t at_ = 0;    // the next character
  std::size_t item_ = 0;  // where the last item began
};

class ProgramReader {
 public:
  ProgramReader(std::string_view text, const Limits& limits)
      : reader_(text, limits), limits_(limits) {}

  Result<Program> run() {
    PENSTOCK_TRY(header());
    while (reader_.next_line()) {
      PENSTOCK_ASSIGN(const std::string_view what, reader_.word("variable, entry or train"));
      if (what == "variable") {
        PENSTOCK_TRY(variable());
      } else if (what == "entry") {
        PENSTOCK_TRY(entry());
      } else if (what == "train") {
        PENSTOCK_TRY(training());
      } else {
        return reader_.fail("expected variable, entry or train, got '" + std::string(what) + "'");
      }
      PENSTOCK_TRY(reader_.end_line());
    }
    return std::move(program_);
  }

 private:
  Status header() {
    if (!reader_.next_line()) return reader_.fail("the program is empty");
    PENSTOCK_TRY(reader_.keyword("penstock"));
    PENSTOCK_TRY(reader_.keyword("program"));
    PENSTOCK_ASSIGN(const std::int64_t version, reader_.integer<std::int64_t>());
    if (version != 1)
      return reader_.fail("program format " + std::to_string(version) +
                              " is not known here; this build reads format 1",
                          ErrorCode::unimplemented);
    PENSTOCK_TRY(reader_.end_line());
    reader_.next_line();
    PENSTOCK_TRY(reader_.keyword("seed"));
    PENSTOCK_ASSIGN(program_.seed, reader_.integer<std::uint64_t>());
    return reader_.end_line();
  }

  Status room(std::size_t count, std::int64_t limit, std::string_view what) const {
    if (static_cast<std::int64_t>(count) < limit) return {};
    return reader_.fail("more " + std::string(what) + " than the limit of " + std::to_string(limit),
                        ErrorCode::resource_exhausted);
  }

  Status variable() {
    PENSTOCK_TRY(room(program_.variables.size(), limits_.variables, "variables"));
    Variable out;
    PENSTOCK_ASSIGN(out.name, reader_.word("the variable's name"));
    if (!variables_.emplace(out.name, static_cast<std::int32_t>(program_.variables.size())).second)
      return reader_.fail("there are two variables " + out.name, ErrorCode::already_exists);
    PENSTOCK_TRY(reader_.expect(':'));
    PENSTOCK_ASSIGN(out.type, reader_.type());
    PENSTOCK_ASSIGN(std::string_view kind, reader_.word("an initializer"));
    out.trainable = kind == "trainable";
    if (out.trainable) {
      PENSTOCK_ASSIGN(kind, reader_.word("an initializer"));
    }
    PENSTOCK_TRY(initializer(kind, out.initializer));
    program_.variables.push_back(std::move(out));
    return {};
  }

  Status initializer(std::string_view kind, Initializer& out) {
    if (kind == "constant") {
      out.kind = Initializer::Kind::constant;
    } else if (kind == "uniform") {
      out.kind = Initializer::Kind::uniform;
    } else if (kind == "normal") {
      out.kind = Initializer::Kind::normal;
    } else {
      return reader_.fail("expected constant, uniform or normal, got '" + std::string(kind) + "'");
    }
    PENSTOCK_TRY(reader_.expect('('));
    PENSTOCK_ASSIGN(out.a, reader_.real());
    if (out.kind != Initializer::Kind::constant) {
      PENSTOCK_TRY(reader_.expect(','));
      PENSTOCK_ASSIGN(out.b, reader_.real());
    }
    return reader_.expect(')');
  }

  Status entry() {
    PENSTOCK_TRY(room(program_.entries.size(), limits_.entries, "entries"));
    Entry& out = program_.entries.emplace_back();
    PENSTOCK_ASSIGN(out.name, reader_.word("the entry's name"));
    PENSTOCK_TRY(reader_.expect('{'));
    PENSTOCK_TRY(reader_.end_line());
    while (true) {
      if (!reader_.next_line()) return reader_.fail("entry " + out.name + " lacks its '}'");
      if (reader_.take('}')) return {};
      PENSTOCK_TRY(entry_line(out));
      PENSTOCK_TRY(reader_.end_line());
    }
  }

  Status entry_line(Entry& out) {
    if (reader_.peek_is('%')) return definition(out);
    PENSTOCK_ASSIGN(const std::string_view what, reader_.word("a value, output, write or '}'"));
    if (what == "output") {
      NamedValue output;
      PENSTOCK_ASSIGN(output.name, reader_.word("the output's name"));
      PENSTOCK_TRY(reader_.expect('='));
      PENSTOCK_ASSIGN(output.value, value(out));
      out.outputs.push_back(std::move(output));
      return {};
    }
    if (what == "write") {
      VariableWrite write;
      PENSTOCK_ASSIGN(write.variable, variable_index());
      PENSTOCK_TRY(reader_.expect('='));
      PENSTOCK_ASSIGN(write.value, value(out));
      out.writes.push_back(write);
      return {};
    }
    return reader_.fail("expected a value, output, write or '}', got '" + std::string(what) + "'");
  }

  Result<std::int32_t> variable_index() {
    PENSTOCK_ASSIGN(const std::string_view name, reader_.word("a variable's name"));
    const auto at = variables_.find(std::string(name));
    if (at == variables_.end())
      return reader_.fail("there is no variable " + std::string(name) + " above");
    return at->second;
  }

  /// `%3`, a value that is defined above.
  Result<ValueId> value(const Entry& out) {
    PENSTOCK_TRY(reader_.expect('%'));
    PENSTOCK_ASSIGN(const std::int32_t index, reader_.integer<std::int32_t>());
    if (index < 0 || static_cast<std::size_t>(index) >= out.values.size())
      return reader_.fail("%" + std::to_string(index) + " is not defined above");
    return ValueId{index};
  }

  /// `%4: f32[2], %5: f32[2] = op(%1) {..}`
  Status definition(Entry& out) {
    PENSTOCK_TRY(room(out.values.size(), 8 * limits_.nodes_per_entry, "values"));
    Types types;
    do {
      PENSTOCK_TRY(room(types.size(), limits_.inputs_per_node, "results"));
      PENSTOCK_TRY(reader_.expect('%'));
      PENSTOCK_ASSIGN(const std::int64_t index, reader_.integer<std::int64_t>());
      const std::size_t next = out.values.size() + types.size();
      if (index != static_cast<std::int64_t>(next))
        return reader_.fail("values are numbered in order: expected %" + std::to_string(next));
      PENSTOCK_TRY(reader_.expect(':'));
      PENSTOCK_ASSIGN(TensorType type, reader_.type());
      types.push_back(std::move(type));
    } while (reader_.take(','));
    PENSTOCK_TRY(reader_.expect('='));
    PENSTOCK_ASSIGN(const std::string_view what, reader_.word("input, read or an op"));
    if (what != "input" && what != "read") return application(out, what, std::move(types));
    if (types.size() != 1) return reader_.fail(std::string(what) + " defines one value");
    ValueInfo info{std::move(types[0]), Source::input, 0, {}};
    if (what == "input") {
      PENSTOCK_ASSIGN(info.name, reader_.word("the input's name"));
    } else {
      info.source = Source::variable;
      PENSTOCK_ASSIGN(info.index, variable_index());
    }
    out.values.push_back(std::move(info));
    return {};
  }

  Status application(Entry& out, std::string_view op, Types types) {
    PENSTOCK_TRY(room(out.nodes.size(), limits_.nodes_per_entry, "nodes"));
    Node node;
    const std::optional<OpIndex> index = find_op(op);
    if (!index) return reader_.fail("there is no op '" + std::string(op) + "'");
    node.op = *index;
    PENSTOCK_TRY(reader_.expect('('));
    while (!reader_.take(')')) {
      if (!node.inputs.empty()) PENSTOCK_TRY(reader_.expect(','));
      PENSTOCK_TRY(room(node.inputs.size(), limits_.inputs_per_node, "operands"));
      PENSTOCK_ASSIGN(const ValueId operand, value(out));
      node.inputs.push_back(operand);
    }
    PENSTOCK_TRY(attributes(node.attributes));
    for (TensorType& type : types) {
      node.outputs.push_back({static_cast<std::int32_t>(out.values.size())});
      out.values.push_back(
          {std::move(type), Source::node, static_cast<std::int32_t>(out.nodes.size()), {}});
    }
    out.nodes.push_back(std::move(node));
    return {};
  }

  Status attributes(Attributes& out) {
    if (!reader_.take('{')) return {};
    while (true) {
      PENSTOCK_TRY(room(out.items().size(), limits_.inputs_per_node, "attributes"));
      PENSTOCK_ASSIGN(const std::string_view name, reader_.word("an attribute's name"));
      if (out.has(name)) return reader_.fail("attribute '" + std::string(name) + "' comes twice");
      PENSTOCK_TRY(reader_.expect('='));
      PENSTOCK_ASSIGN(Attribute value, reader_.attribute());
      out.set(std::string(name), std::move(value));
      if (reader_.take('}')) return {};
      PENSTOCK_TRY(reader_.expect(','));
    }
  }

  Status training() {
    if (program_.training) return reader_.fail("there are two train lines");
    Training out;
    PENSTOCK_ASSIGN(out.entry, reader_.word("the entry's name"));
    PENSTOCK_TRY(reader_.keyword("minimize"));
    PENSTOCK_ASSIGN(out.loss, reader_.word("the loss output's name"));
    PENSTOCK_TRY(reader_.keyword("with"));
    PENSTOCK_ASSIGN(out.optimizer, reader_.word("an optimizer"));
    PENSTOCK_TRY(attributes(out.options));
    PENSTOCK_TRY(reader_.keyword("learning_rate"));
    PENSTOCK_ASSIGN(out.learning_rate, reader_.real());
    PENSTOCK_TRY(attributes(out.clipping));
    program_.training = std::move(out);
    return {};
  }

  Reader reader_;
  const Limits& limits_;
  Program program_;
  std::unordered_map<std::string, std::int32_t> variables_;
};

}  // namespace

Result<Program> parse(std::string_view text, const Limits& limits) {
  if (static_cast<std::int64_t>(text.size()) > limits.text_bytes)
    return Error{ErrorCode::resource_exhausted,
                 "the program's text has " + std::to_string(text.size()) +
                     " bytes, more than the limit of " + std::to_string(limits.text_bytes)};
  PENSTOCK_ASSIGN(Program program, ProgramReader(text, limits).run());
  PENSTOCK_TRY(verify(program, limits));
  return program;
}

}  // namespace penstock::program
