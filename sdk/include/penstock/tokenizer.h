#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/error.h"

namespace penstock {

namespace detail {
class TokenizerModel;
}

using Tokens = std::vector<std::int32_t>;

/// What becomes of tokens that stand for no text, such as <|endoftext|>.
enum class SpecialTokens { keep, skip };

/// Turns text into the numbers that a language model reads, and back. A value: copies share the
/// tables, which never change. Text is bytes, UTF-8 or not: decode(encode(text)) == text, where the
/// vocabulary knows all 256 bytes.
/// Threads: any
class Tokenizer {
 public:
  /// A Hugging Face tokenizer.json (name ends in .json) or a llama2.c tokenizer.bin (.bin).
  ///
  /// Of tokenizer.json: byte-level BPE as of GPT-2, Llama 3 and Qwen 2. Its pre-tokeniser must
  /// split by one of their three patterns, which are matched by hand with Unicode 14's letters and
  /// numbers. Post-processors are not applied: put begin_token() before the text where a model
  /// wants it. Errors: not_found; data_loss for a damaged file; unimplemented naming the part that
  /// is not known (WordPiece, a normalizer, another pattern) Source: Sennrich et al.,
  /// arXiv:1508.07909; Radford et al., Language Models are Unsupervised Multitask Learners (2019);
  /// huggingface/tokenizers; karpathy/llama2.c
  static Result<Tokenizer> read(const std::string& path);

  /// One token per byte: 256 symbols.
  static Tokenizer bytes();

  /// Errors: invalid_argument for a byte that has no token; resource_exhausted above 1 GiB
  Result<Tokens> encode(std::string_view text) const;
  /// Errors: invalid_argument naming a number that is no token
  Result<std::string> decode(std::span<const std::int32_t> tokens,
                             SpecialTokens special = SpecialTokens::keep) const;

  /// The bytes of one token, for text that is shown as it comes. A llama2.c text begins with a
  /// blank that `decode` takes off.
  Result<std::string> piece(std::int32_t token) const;
  /// The token with this text, special ones included.
  std::optional<std::int32_t> id(std::string_view piece) const;
  /// One more than the largest token.
  std::int64_t size() const;
  /// What stands before and after a text; nothing where the file does not say.
  std::optional<std::int32_t> begin_token() const;
  std::optional<std::int32_t> end_token() const;

 private:
  explicit Tokenizer(std::shared_ptr<const detail::TokenizerModel> model);
  std::shared_ptr<const detail::TokenizerModel> model_;  // shared: its tables never change
};

}  // namespace penstock
