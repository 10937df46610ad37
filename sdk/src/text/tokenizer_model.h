#pragma once

#include "penstock/tokenizer.h"
#include "sdk/src/formats/mapped_file.h"

namespace penstock::detail {

inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 30;

/// The tables of one tokenizer. Never changes once it is made.
/// Threads: any
class TokenizerModel {
 public:
  TokenizerModel() = default;
  TokenizerModel(const TokenizerModel&) = delete;
  TokenizerModel& operator=(const TokenizerModel&) = delete;
  virtual ~TokenizerModel() = default;

  virtual Result<Tokens> encode(std::string_view text) const = 0;
  virtual Result<std::string> decode(std::span<const std::int32_t> tokens,
                                     SpecialTokens special) const = 0;
  virtual Result<std::string> piece(std::int32_t token) const = 0;
  virtual std::optional<std::int32_t> id(std::string_view piece) const = 0;
  virtual std::int64_t size() const = 0;
  virtual std::optional<std::int32_t> begin_token() const { return std::nullopt; }
  virtual std::optional<std::int32_t> end_token() const { return std::nullopt; }
};

using TokenizerPtr = std::shared_ptr<const TokenizerModel>;

TokenizerPtr make_bytes_tokenizer();
/// Errors: as Tokenizer::read
Result<TokenizerPtr> parse_tokenizer_json(std::string_view text, const std::string& place);
Result<TokenizerPtr> parse_llama2c_tokenizer(std::span<const std::byte> bytes,
                                             const std::string& place);

/// "there is no token N of this vocabulary of SIZE"
Error no_such_token(std::int32_t token, std::int64_t size);

}  // namespace penstock::detail
