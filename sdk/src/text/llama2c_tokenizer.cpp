#include <cmath>
#include <cstdio>
#include <cstring>
#include <unordered_map>

#include "sdk/src/text/byte_pair.h"
#include "sdk/src/text/tokenizer_model.h"

// A file is: u32 length of the longest piece; then of each piece f32 score, u32 length, bytes.
// Tokens 0 to 2 are <unk>, begin and end; 3 to 258 the bytes. Of all neighbours that are a piece
// together, those with the best score are merged first.
namespace penstock::detail {
namespace {

constexpr std::int32_t kBegin = 1, kEnd = 2, kFirstByte = 3;
constexpr std::size_t kTokensMax = 1 << 22;

class Llama2cTokenizer final : public TokenizerModel {
 public:
  Llama2cTokenizer(std::vector<std::string> pieces, std::vector<float> scores, std::size_t longest)
      : pieces_(std::move(pieces)), scores_(std::move(scores)), longest_(longest) {
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      ids_.emplace(pieces_[i], static_cast<std::int32_t>(i));
  }

  Result<Tokens> encode(std::string_view text) const override {
    Tokens tokens;
    if (text.empty()) return tokens;
    // A blank before the first word makes it the same piece as inside a text.
    const std::string whole = " " + std::string(text);
    for (std::size_t at = 0; at < whole.size();) {
      std::size_t end = at + 1;
      while (end < whole.size() && end < at + 4 && (whole[end] & 0xc0) == 0x80) ++end;
      const auto found = ids_.find(whole.substr(at, end - at));
      if (found != ids_.end()) {
        tokens.push_back(found->second);
      } else {
        for (std::size_t i = at; i < end; ++i)
          tokens.push_back(kFirstByte + static_cast<unsigned char>(whole[i]));
      }
      at = end;
    }
    merge_pairs(tokens, [this](std::int32_t a, std::int32_t b) { return merge(a, b); });
    return tokens;
  }

  Result<std::string> decode(std::span<const std::int32_t> tokens,
                             SpecialTokens special) const override {
    std::string text;
    bool at_begin = true;
    for (const std::int32_t token : tokens) {
      PENSTOCK_ASSIGN(std::string next, piece(token));
      const bool stands_for_nothing = token == kBegin || token == kEnd;
      if (stands_for_nothing && special == SpecialTokens::skip) next.clear();
      if (at_begin && !stands_for_nothing && next.starts_with(' ')) next.erase(0, 1);
      at_begin = token == kBegin || (at_begin && stands_for_nothing);
      text += next;
    }
    return text;
  }

  Result<std::string> piece(std::int32_t token) const override {
    if (token < 0 || token >= size()) return no_such_token(token, size());
    if (token >= kFirstByte && token < kFirstByte + 256)
      return std::string(1, static_cast<char>(token - kFirstByte));
    return pieces_[static_cast<std::size_t>(token)];
  }
  std::optional<std::int32_t> id(std::string_view piece) const override {
    const auto found = ids_.find(std::string(piece));
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  std::int64_t size() const override { return static_cast<std::int64_t>(pieces_.size()); }
  std::optional<std::int32_t> begin_token() const override { return kBegin; }
  std::optional<std::int32_t> end_token() const override { return kEnd; }

 private:
  std::optional<PairMerge> merge(std::int32_t a, std::int32_t b) const {
    const std::string& left = pieces_[static_cast<std::size_t>(a)];
    const std::string& right = pieces_[static_cast<std::size_t>(b)];
    if (left.size() + right.size() > longest_) return std::nullopt;
    const auto found = ids_.find(left + right);
    // A text that spells <0x41> is not the byte 0x41.
    if (found == ids_.end() || found->second < kFirstByte + 256) return std::nullopt;
    return PairMerge{-static_cast<double>(scores_[static_cast<std::size_t>(found->second)]),
                     found->second};
  }

  const std::vector<std::string> pieces_;
  const std::vector<float> scores_;
  const std::size_t longest_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

Result<TokenizerPtr> parse_llama2c_tokenizer(std::span<const std::byte> bytes,
                                             const std::string& place) {
  using weights::damaged;
  using weights::little_endian;
  if (bytes.size() < 4) return damaged(place, "it is too short for a llama2.c tokenizer");
  bytes = bytes.subspan(4);  // the longest piece is measured, not believed
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::size_t longest = 0;
  while (!bytes.empty()) {
    const std::string which = "piece " + std::to_string(pieces.size());
    if (bytes.size() < 8) return damaged(place, "it ends inside " + which);
    const auto bits = static_cast<std::uint32_t>(little_endian(bytes.first(4)));
    float score = 0;
    std::memcpy(&score, &bits, sizeof score);
    if (std::isnan(score)) return damaged(place, "the score of " + which + " is no number");
    const std::uint64_t length = little_endian(bytes.subspan(4, 4));
    if (length > bytes.size() - 8)
      return damaged(place, which + " claims " + std::to_string(length) + " bytes, " +
                                std::to_string(bytes.size() - 8) + " follow");
    if (pieces.size() == kTokensMax)
      return Error{ErrorCode::resource_exhausted,
                   place + ": it has more than " + std::to_string(kTokensMax) + " pieces"};
    pieces.emplace_back(reinterpret_cast<const char*>(bytes.data()) + 8, length);
    scores.push_back(score);
    longest = std::max<std::size_t>(longest, length);
    bytes = bytes.subspan(8 + length);
  }
  for (int byte = 0; byte < 256; ++byte) {
    char expected[8];
    std::snprintf(expected, sizeof expected, "<0x%02X>", static_cast<unsigned>(byte));
    const auto at = static_cast<std::size_t>(kFirstByte + byte);
    if (at >= pieces.size() || pieces[at] != expected)
      return damaged(place, "piece " + std::to_string(at) + " is not " + expected +
                                ": not a llama2.c tokenizer?");
  }
  return TokenizerPtr(
      std::make_shared<const Llama2cTokenizer>(std::move(pieces), std::move(scores), longest));
}

}  // namespace penstock::detail
