#include "sdk/src/text/byte_level.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace penstock::detail {
namespace {

/// GPT-2's bytes_to_unicode: printable Latin-1 stands for itself, the others for U+0100 and on.
std::array<std::int16_t, 512> make_byte_of_character() {
  std::array<std::int16_t, 512> table;
  table.fill(-1);
  std::size_t next = 256;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    table[printable ? byte : next++] = static_cast<std::int16_t>(byte);
  }
  return table;
}

/// An added token in a text.
struct Hit {
  const AddedToken* token = nullptr;
  std::size_t begin = 0, end = 0;
};

class ByteLevelTokenizer final : public TokenizerModel {
 public:
  explicit ByteLevelTokenizer(ByteLevelTables tables) : tables_(std::move(tables)) {
    for (int byte = 0; byte < 256; ++byte) {
      const auto found = tables_.ids.find(std::string(1, static_cast<char>(byte)));
      byte_ids_[static_cast<std::size_t>(byte)] = found == tables_.ids.end() ? -1 : found->second;
    }
    for (const auto& [id, piece] : tables_.pieces) size_ = std::max<std::int64_t>(size_, id + 1);
    for (const auto& [text, token] : tables_.added) {
      size_ = std::max<std::int64_t>(size_, std::int64_t{token.id} + 1);
      added_by_id_.emplace(token.id, &token);
    }
  }

  Result<Tokens> encode(std::string_view text) const override {
    Tokens tokens;
    while (!text.empty()) {
      const Hit hit = find_added(text);
      PENSTOCK_TRY(encode_plain(text.substr(0, hit.begin), tokens));
      if (hit.token != nullptr) tokens.push_back(hit.token->id);
      text.remove_prefix(hit.end);
    }
    return tokens;
  }

  Result<std::string> decode(std::span<const std::int32_t> tokens,
                             SpecialTokens special) const override {
    std::string text;
    for (const std::int32_t token : tokens) {
      const auto added = added_by_id_.find(token);
      if (special == SpecialTokens::skip && added != added_by_id_.end() && added->second->special)
        continue;
      PENSTOCK_ASSIGN(const std::string next, piece(token));
      text += next;
    }
    return text;
  }

  Result<std::string> piece(std::int32_t token) const override {
    const auto added = added_by_id_.find(token);
    if (added != added_by_id_.end()) return added->second->text;
    const auto found = tables_.pieces.find(token);
    if (found == tables_.pieces.end()) return no_such_token(token, size());
    return found->second;
  }
  std::optional<std::int32_t> id(std::string_view piece) const override {
    const auto added = tables_.added.find(piece);
    if (added != tables_.added.end()) return added->second.id;
    const auto found = tables_.ids.find(std::string(piece));
    return found == tables_.ids.end() ? std::nullopt : std::optional(found->second);
  }
  std::int64_t size() const override { return size_; }

 private:
  /// The longest added token that begins at the begin of `text`.
  const AddedToken* added_at(std::string_view text) const {
    const AddedToken* best = nullptr;
    auto first = tables_.added.begin(), last = tables_.added.end();
    // Narrows the sorted tokens byte by byte to those that agree so far.
    for (std::size_t length = 1; length <= text.size() && first != last; ++length) {
      const std::string_view prefix = text.substr(0, length);
      first = tables_.added.lower_bound(prefix);
      if (first == last || !std::string_view(first->first).starts_with(prefix)) break;
      if (first->first.size() == length) best = &first->second;
    }
    return best;
  }

  /// The first added token in `text`, with the blanks that it takes along.
  Hit find_added(std::string_view text) const {
    if (!tables_.added.empty())
      for (std::size_t at = 0; at < text.size(); ++at) {
        const AddedToken* token = added_at(text.substr(at));
        if (token == nullptr) continue;
        Hit hit{token, at, at + token->text.size()};
        if (token->strips_left) hit.begin = trimmed_end(text.substr(0, at));
        if (token->strips_right)
          while (hit.end < text.size()) {
            const CodePoint c = first_code_point(text.substr(hit.end));
            if (!is_space(c.value)) break;
            hit.end += c.bytes;
          }
        return hit;
      }
    return {nullptr, text.size(), text.size()};
  }

  /// The size of `text` without the blanks at its end.
  static std::size_t trimmed_end(std::string_view text) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
      const CodePoint c = first_code_point(text.substr(at));
      at += c.bytes;
      if (!is_space(c.value)) end = at;
    }
    return end;
  }

  Status encode_plain(std::string_view text, Tokens& tokens) const {
    if (text.empty()) return {};
    std::string with_blank;
    if (tables_.blank_before_text && !is_space(first_code_point(text).value)) {
      with_blank = " " + std::string(text);
      text = with_blank;
    }
    for (const std::string_view word : split_words(text, tables_.split))
      PENSTOCK_TRY(encode_word(word, tokens));
    return {};
  }

  Status encode_word(std::string_view word, Tokens& tokens) const {
    if (tables_.whole_words_first) {
      const auto whole = tables_.ids.find(std::string(word));
      if (whole != tables_.ids.end()) {
        tokens.push_back(whole->second);
        return {};
      }
    }
    Tokens symbols;
    symbols.reserve(word.size());
    for (const char c : word) {
      const std::int32_t id = byte_ids_[static_cast<unsigned char>(c)];
      if (id < 0) {
        char shown[8];
        std::snprintf(shown, sizeof shown, "0x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        return invalid("tokenizer: the byte " + std::string(shown) +
                       " of the text has no token in this vocabulary");
      }
      symbols.push_back(id);
    }
    merge_pairs(symbols, [this](std::int32_t a, std::int32_t b) -> std::optional<PairMerge> {
      const auto found =
          tables_.merges.find(static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b));
      return found == tables_.merges.end() ? std::nullopt : std::optional(found->second);
    });
    tokens.insert(tokens.end(), symbols.begin(), symbols.end());
    return {};
  }

  const ByteLevelTables tables_;
  std::array<std::int32_t, 256> byte_ids_{};
  std::unordered_map<std::int32_t, const AddedToken*> added_by_id_;  // into tables_
  std::int64_t size_ = 0;
};

}  // namespace

std::optional<std::string> piece_bytes(std::string_view piece) {
  static const std::array<std::int16_t, 512> byte_of_character = make_byte_of_character();
  std::string bytes;
  while (!piece.empty()) {
    const CodePoint c = first_code_point(piece);
    if (c.value >= byte_of_character.size() || byte_of_character[c.value] < 0) return std::nullopt;
    bytes += static_cast<char>(byte_of_character[c.value]);
    piece.remove_prefix(c.bytes);
  }
  return bytes;
}

TokenizerPtr make_byte_level(ByteLevelTables tables) {
  return std::make_shared<const ByteLevelTokenizer>(std::move(tables));
}

}  // namespace penstock::detail
