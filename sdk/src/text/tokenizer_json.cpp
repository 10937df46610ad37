#include "sdk/src/formats/json_text.h"
#include "sdk/src/text/byte_level.h"

// Hugging Face's tokenizer.json, as far as byte-level BPE goes. What is not known is refused: a
// tokenizer that is almost right gives wrong numbers without a word.
namespace penstock::detail {
namespace {

using nlohmann::json;
using weights::damaged;
using weights::shown;

constexpr std::int64_t kIdMax = 1 << 24;

/// Reads one file's parts into tables.
class TokenizerReader {
 public:
  explicit TokenizerReader(const std::string& place) : place_(place) {}

  Result<TokenizerPtr> read(const json& all) {
    if (!all.is_object() || !all.contains("model")) return damaged(place_, "it has no model");
    PENSTOCK_TRY(read_model(all["model"]));
    PENSTOCK_TRY(expect_none(all, "normalizer"));
    if (const json* pre = part(all, "pre_tokenizer")) {
      PENSTOCK_TRY(read_pre_tokenizer(*pre));
    } else {
      return unknown("no pre_tokenizer; byte-level BPE is read");
    }
    if (const json* decoder = part(all, "decoder"))
      if (text_of(*decoder, "type") != "ByteLevel")
        return unknown("the decoder " + shown(text_of(*decoder, "type")));
    if (const json* added = part(all, "added_tokens")) PENSTOCK_TRY(read_added(*added));
    return make_byte_level(std::move(tables_));
  }

 private:
  static const json* part(const json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  static std::string text_of(const json& object, const char* name) {
    const json* value = part(object, name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
  }
  static bool flag(const json& object, const char* name, bool otherwise) {
    const json* value = part(object, name);
    return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
  }
  Error unknown(const std::string& what) const {
    return {ErrorCode::unimplemented, place_ + ": it has " + what +
                                          ", which is not read; byte-level BPE as of GPT-2, "
                                          "Llama 3 and Qwen 2 is"};
  }
  Status expect_none(const json& object, const char* name) const {
    const json* value = part(object, name);
    if (value == nullptr || (value->is_string() && value->get_ref<const std::string&>().empty()))
      return {};
    const std::string type = text_of(*value, "type");
    return unknown(std::string(name) + (type.empty() ? "" : " " + shown(type)));
  }

  Status read_model(const json& model) {
    const std::string type = text_of(model, "type");
    if (type != "BPE" && !(type.empty() && part(model, "merges") != nullptr))
      return unknown("the model " + shown(type));
    for (const char* name : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
      PENSTOCK_TRY(expect_none(model, name));
    if (flag(model, "byte_fallback", false)) return unknown("byte_fallback");
    tables_.whole_words_first = flag(model, "ignore_merges", false);
    const json* vocabulary = part(model, "vocab");
    if (vocabulary == nullptr || !vocabulary->is_object())
      return damaged(place_, "its model has no vocab");
    for (const auto& [text, id] : vocabulary->items()) {
      if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= kIdMax)
        return damaged(place_, "the number of token " + shown(text) + " is no number below " +
                                   std::to_string(kIdMax));
      const auto number = static_cast<std::int32_t>(id.get<std::uint64_t>());
      if (!tables_.pieces.emplace(number, piece_bytes(text).value_or(text)).second)
        return damaged(place_, "token " + shown(text) + " has the number " +
                                   std::to_string(number) + " of another");
      written_.emplace(text, number);
      // A piece in other characters, as specials are, stands for no bytes of a text.
      if (const auto bytes = piece_bytes(text)) tables_.ids.emplace(*bytes, number);
    }
    return read_merges(model);
  }

  Status read_merges(const json& model) {
    const json* merges = part(model, "merges");
    if (merges == nullptr || !merges->is_array()) return damaged(place_, "its model has no merges");
    double rank = 0;
    for (const json& merge : *merges) {
      std::string left, right;
      if (merge.is_string()) {
        const auto& text = merge.get_ref<const std::string&>();
        const std::size_t blank = text.find(' ');
        left = text.substr(0, blank);
        if (blank != std::string::npos) right = text.substr(blank + 1);
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                 merge[1].is_string()) {
        left = merge[0].get<std::string>();
        right = merge[1].get<std::string>();
      }
      const auto a = written_.find(left), b = written_.find(right),
                 both = written_.find(left + right);
      if (a == written_.end() || b == written_.end() || both == written_.end())
        return damaged(place_, "merge " + std::to_string(static_cast<std::int64_t>(rank)) + " of " +
                                   shown(left) + " and " + shown(right) + " is not made of tokens");
      tables_.merges.emplace(
          static_cast<std::uint64_t>(a->second) << 32 | static_cast<std::uint32_t>(b->second),
          PairMerge{rank, both->second});
      rank += 1;
    }
    return {};
  }

  Status read_pre_tokenizer(const json& pre) {
    const std::string type = text_of(pre, "type");
    if (type == "ByteLevel") return read_byte_level(pre, SplitRule{SplitRule::Kind::gpt2});
    const json* steps = part(pre, "pretokenizers");
    if (type != "Sequence" || steps == nullptr || !steps->is_array() || steps->size() != 2)
      return unknown("the pre_tokenizer " + shown(type));
    const json &split = (*steps)[0], &bytes = (*steps)[1];
    if (text_of(split, "type") != "Split" || text_of(bytes, "type") != "ByteLevel")
      return unknown("a pre_tokenizer of other steps than Split and ByteLevel");
    const json* pattern = part(split, "pattern");
    const std::string regex = pattern == nullptr ? "" : text_of(*pattern, "Regex");
    const auto rule = split_rule(regex);
    if (!rule) return unknown("the pattern " + shown(regex));
    if (text_of(split, "behavior") != "Isolated" || flag(split, "invert", false))
      return unknown("a Split that is not Isolated");
    if (flag(bytes, "use_regex", true)) return unknown("two patterns");
    return read_byte_level(bytes, *rule);
  }

  Status read_byte_level(const json& part_of_file, SplitRule rule) {
    tables_.blank_before_text = flag(part_of_file, "add_prefix_space", true);
    const bool own = rule.kind == SplitRule::Kind::gpt2;
    tables_.split =
        own && !flag(part_of_file, "use_regex", true) ? SplitRule{SplitRule::Kind::nothing} : rule;
    return {};
  }

  Status read_added(const json& added) {
    if (!added.is_array()) return damaged(place_, "its added_tokens are no list");
    for (const json& token : added) {
      const std::string text = text_of(token, "content");
      const json* id = part(token, "id");
      if (text.empty() || id == nullptr || !id->is_number_unsigned() ||
          id->get<std::uint64_t>() >= kIdMax)
        return damaged(place_, "the added token " + shown(text) + " lacks content or number");
      if (flag(token, "single_word", false))
        return unknown("the added token " + shown(text) + " for single words");
      AddedToken row{text, static_cast<std::int32_t>(id->get<std::uint64_t>()),
                     flag(token, "special", false), flag(token, "lstrip", false),
                     flag(token, "rstrip", false)};
      if (!tables_.added.emplace(text, std::move(row)).second)
        return damaged(place_, "the added token " + shown(text) + " is there twice");
    }
    return {};
  }

  const std::string& place_;
  ByteLevelTables tables_;
  std::unordered_map<std::string, std::int32_t> written_;  // as the file writes the pieces
};

}  // namespace

Result<TokenizerPtr> parse_tokenizer_json(std::string_view text, const std::string& place) {
  PENSTOCK_ASSIGN(const json all, weights::parse_json(text, place, {.bytes = 64 << 20}));
  return TokenizerReader(place).read(all);
}

}  // namespace penstock::detail
