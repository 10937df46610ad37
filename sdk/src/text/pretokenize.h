#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace penstock::detail {

/// Where the patterns of byte-level tokenizers cut a text into words.
struct SplitRule {
  enum class Kind {
    gpt2,     // 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    cl100k,   // (?i:'s|..)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|
              // ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|..
    nothing,  // the text is one word
  };
  Kind kind = Kind::gpt2;
  int digits_max = 3;  // of cl100k
};

/// The rule of a pattern as tokenizer.json files write it; nothing if it is not known.
std::optional<SplitRule> split_rule(std::string_view pattern);

/// The words, which together are the text. Bytes that are no UTF-8 count as punctuation.
std::vector<std::string_view> split_words(std::string_view text, SplitRule rule);

/// The character at the begin of `text`, which is not empty, and how many bytes it takes; U+FFFD
/// and one byte where it is no UTF-8.
struct CodePoint {
  char32_t value;
  std::size_t bytes;
};
CodePoint first_code_point(std::string_view text);

bool is_space(char32_t c);

}  // namespace penstock::detail
