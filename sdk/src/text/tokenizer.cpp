#include "penstock/tokenizer.h"

#include "sdk/src/text/tokenizer_model.h"

namespace penstock {
namespace detail {
namespace {

class BytesTokenizer final : public TokenizerModel {
 public:
  Result<Tokens> encode(std::string_view text) const override {
    Tokens tokens;
    tokens.reserve(text.size());
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }
  Result<std::string> decode(std::span<const std::int32_t> tokens, SpecialTokens) const override {
    std::string text;
    for (const std::int32_t token : tokens) {
      PENSTOCK_ASSIGN(const std::string byte, piece(token));
      text += byte;
    }
    return text;
  }
  Result<std::string> piece(std::int32_t token) const override {
    if (token < 0 || token > 255) return no_such_token(token, size());
    return std::string(1, static_cast<char>(token));
  }
  std::optional<std::int32_t> id(std::string_view piece) const override {
    if (piece.size() != 1) return std::nullopt;
    return static_cast<unsigned char>(piece[0]);
  }
  std::int64_t size() const override { return 256; }
};

}  // namespace

TokenizerPtr make_bytes_tokenizer() {
  return std::make_shared<const BytesTokenizer>();
}

Error no_such_token(std::int32_t token, std::int64_t size) {
  return invalid("tokenizer: there is no token " + std::to_string(token) +
                 " in this vocabulary of " + std::to_string(size));
}

}  // namespace detail

Tokenizer::Tokenizer(std::shared_ptr<const detail::TokenizerModel> model)
    : model_(std::move(model)) {}

Result<Tokenizer> Tokenizer::read(const std::string& path) {
  PENSTOCK_ASSIGN(const weights::FileBytes file, weights::map_file(path));
  if (path.ends_with(".json")) {
    const std::string_view text(reinterpret_cast<const char*>(file.bytes.data()),
                                file.bytes.size());
    PENSTOCK_ASSIGN(detail::TokenizerPtr model, detail::parse_tokenizer_json(text, path));
    return Tokenizer(std::move(model));
  }
  if (path.ends_with(".bin")) {
    PENSTOCK_ASSIGN(detail::TokenizerPtr model, detail::parse_llama2c_tokenizer(file.bytes, path));
    return Tokenizer(std::move(model));
  }
  return invalid(path +
                 ": the name does not tell the format; read are .json (Hugging Face) and .bin "
                 "(llama2.c)");
}

Tokenizer Tokenizer::bytes() {
  return Tokenizer(detail::make_bytes_tokenizer());
}

Result<Tokens> Tokenizer::encode(std::string_view text) const {
  if (text.size() > detail::kTextBytesMax)
    return Error{ErrorCode::resource_exhausted,
                 "tokenizer: the text has " + std::to_string(text.size()) + " bytes, at most " +
                     std::to_string(detail::kTextBytesMax) + " are taken at once; cut it"};
  return model_->encode(text);
}
Result<std::string> Tokenizer::decode(std::span<const std::int32_t> tokens,
                                      SpecialTokens special) const {
  return model_->decode(tokens, special);
}
Result<std::string> Tokenizer::piece(std::int32_t token) const {
  return model_->piece(token);
}
std::optional<std::int32_t> Tokenizer::id(std::string_view piece) const {
  return model_->id(piece);
}
std::int64_t Tokenizer::size() const {
  return model_->size();
}
std::optional<std::int32_t> Tokenizer::begin_token() const {
  return model_->begin_token();
}
std::optional<std::int32_t> Tokenizer::end_token() const {
  return model_->end_token();
}

}  // namespace penstock
