#include "sdk/src/text/pretokenize.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace penstock::detail {
namespace {

struct CodeRange {
  std::uint32_t first, last;
};

#include "sdk/src/text/unicode_ranges.inc"

template <std::size_t N>
bool contains(const CodeRange (&ranges)[N], char32_t c) {
  const auto* after =
      std::upper_bound(std::begin(ranges), std::end(ranges), c,
                       [](char32_t value, const CodeRange& range) { return value < range.first; });
  return after != std::begin(ranges) && c <= std::prev(after)->last;
}

enum class Kind { letter, number, space, other, end };

Kind kind_of(char32_t c) {
  if (c < 0x80) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::letter;
    if (c >= '0' && c <= '9') return Kind::number;
    return is_space(c) ? Kind::space : Kind::other;
  }
  if (contains(kLetters, c)) return Kind::letter;
  if (contains(kNumbers, c)) return Kind::number;
  return is_space(c) ? Kind::space : Kind::other;
}

/// A text seen from one place.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Kind kind(std::size_t at) const {
    return at < text_.size() ? kind_of(first_code_point(text_.substr(at)).value) : Kind::end;
  }
  std::size_t after(std::size_t at) const { return at + first_code_point(text_.substr(at)).bytes; }
  bool is(std::size_t at, char c) const { return at < text_.size() && text_[at] == c; }
  bool is_line_end(std::size_t at) const { return is(at, '\r') || is(at, '\n'); }

  /// Behind the characters of this kind that begin here, at most `count_max`.
  std::size_t run(std::size_t at, Kind wanted, std::size_t count_max = SIZE_MAX) const {
    for (std::size_t count = 0; count < count_max && kind(at) == wanted; ++count) at = after(at);
    return at;
  }

  /// Behind 's, 't, 're, 've, 'm, 'll or 'd; `at` if none is here.
  std::size_t contraction(std::size_t at, bool any_case) const {
    if (!is(at, '\'')) return at;
    std::string rest(text_.substr(at + 1, 2));
    if (any_case) {
      for (char& c : rest)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if (rest == "\xc5\xbf") return at + 3;  // the long s, whose upper case is S
    }
    for (const char* two : {"re", "ve", "ll"})
      if (rest == two) return at + 3;
    if (!rest.empty() && std::string_view("stmd").find(rest[0]) != std::string_view::npos)
      return at + 2;
    return at;
  }

  /// Of blanks: all at the text's end, else all but the last, which belongs to the next word.
  std::size_t blanks(std::size_t at) const {
    std::size_t last = at, end = at;
    while (kind(end) == Kind::space) {
      last = end;
      end = after(end);
    }
    return end == text_.size() || last == at ? end : last;
  }

  /// Behind the last line end of the blanks here; `at` if there is none.
  std::size_t lines(std::size_t at) const {
    std::size_t end = at;
    for (std::size_t i = at; kind(i) == Kind::space;) {
      const bool line_end = is_line_end(i);
      i = after(i);
      if (line_end) end = i;
    }
    return end;
  }

 private:
  std::string_view text_;
};

std::size_t gpt2_word(const Scanner& text, std::size_t at) {
  if (const std::size_t end = text.contraction(at, false); end > at) return end;
  const std::size_t begin = text.is(at, ' ') ? at + 1 : at;
  const Kind kind = text.kind(begin);
  if (kind != Kind::space && kind != Kind::end) return text.run(begin, kind);
  return text.blanks(at);
}

std::size_t cl100k_word(const Scanner& text, std::size_t at, int digits_max) {
  if (const std::size_t end = text.contraction(at, true); end > at) return end;
  const Kind kind = text.kind(at);
  if (kind == Kind::letter) return text.run(at, kind);
  if (kind == Kind::number) return text.run(at, kind, static_cast<std::size_t>(digits_max));
  const std::size_t next = text.after(at);
  if (!text.is_line_end(at) && text.kind(next) == Kind::letter) return text.run(next, Kind::letter);
  const std::size_t begin = text.is(at, ' ') ? next : at;
  if (text.kind(begin) == Kind::other) {
    std::size_t end = text.run(begin, Kind::other);
    while (text.is_line_end(end)) ++end;
    return end;
  }
  if (const std::size_t end = text.lines(at); end > at) return end;
  return text.blanks(at);
}

}  // namespace

bool is_space(char32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

CodePoint first_code_point(std::string_view text) {
  constexpr CodePoint kBroken{0xfffd, 1};
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < count) return kBroken;
  std::uint32_t value = first & (0xffU >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return kBroken;
    value = value << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (count == 3 && value < 0x800) || (count == 4 && value < 0x10000);
  if (overlong || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return kBroken;
  return {value, count};
}

std::optional<SplitRule> split_rule(std::string_view pattern) {
  constexpr std::string_view kGpt2 =
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  constexpr std::string_view kBegin =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
  constexpr std::string_view kEnd = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  if (pattern == kGpt2) return SplitRule{SplitRule::Kind::gpt2};
  if (pattern == std::string(kBegin) + "{1,3}" + std::string(kEnd))
    return SplitRule{SplitRule::Kind::cl100k, 3};
  if (pattern == std::string(kBegin) + std::string(kEnd))
    return SplitRule{SplitRule::Kind::cl100k, 1};
  return std::nullopt;
}

std::vector<std::string_view> split_words(std::string_view text, SplitRule rule) {
  if (text.empty()) return {};
  if (rule.kind == SplitRule::Kind::nothing) return {text};
  std::vector<std::string_view> words;
  const Scanner scanner(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = rule.kind == SplitRule::Kind::gpt2
                                ? gpt2_word(scanner, at)
                                : cl100k_word(scanner, at, rule.digits_max);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace penstock::detail
