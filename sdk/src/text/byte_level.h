#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sdk/src/text/byte_pair.h"
#include "sdk/src/text/pretokenize.h"
#include "sdk/src/text/tokenizer_model.h"

namespace penstock::detail {

/// A token that is found in the text before anything else.
struct AddedToken {
  std::string text;
  std::int32_t id = 0;
  bool special = false;
  bool strips_left = false, strips_right = false;  // takes the blanks beside it along
};

/// What a tokenizer.json says.
struct ByteLevelTables {
  std::unordered_map<std::string, std::int32_t> ids;     // by piece, as bytes
  std::unordered_map<std::int32_t, std::string> pieces;  // the way back
  std::unordered_map<std::uint64_t, PairMerge> merges;   // by left << 32 | right
  std::map<std::string, AddedToken, std::less<>> added;
  SplitRule split;
  bool blank_before_text = false;  // add_prefix_space
  bool whole_words_first = false;  // ignore_merges
};

/// The bytes that a piece of tokenizer.json stands for: byte-level BPE writes each byte as one
/// printable character. Nothing, if it has another character.
std::optional<std::string> piece_bytes(std::string_view piece);

TokenizerPtr make_byte_level(ByteLevelTables tables);

}  // namespace penstock::detail
