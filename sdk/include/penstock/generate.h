#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "penstock/client.h"
#include "penstock/transformer.h"

namespace penstock {

/// What a decoding program holds beside the model's weights.
struct DecoderOptions {
  std::int64_t rows = 1;       // texts at a time
  std::int64_t context = 512;  // tokens of the longest, prompt and continuation together
  std::int64_t stop = -1;      // the token that ends a text; -1: none
};

/// One place of every text.
struct DecodedStep {
  std::int64_t position = 0;               // from 1: the prompts' first tokens are not repeated
  std::vector<std::int64_t> tokens;        // of each text: the prompt's own, or what was chosen
  std::vector<std::vector<float>> logits;  // if asked for: of each text, over the vocabulary
};

struct GenerateOptions {
  std::int64_t steps = 0;  // 0: to the end of the context
  bool logits = false;
  /// Gets each step as soon as it is there, on the client's network thread; false ends the texts.
  std::function<bool(const DecodedStep&)> on_step = {};
};

/// A Llama that continues texts, with its keys and values kept on the devices. Texts of different
/// lengths go together: each follows its prompt to that one's end, then the likeliest token.
/// Nothing waits for a round trip between two tokens. Errors: those of Executable Threads: one
class LlamaGenerator {
 public:
  /// Compiles the program; weights are the initial ones until `write` is called.
  LlamaGenerator(Lease& lease, const models::LlamaOptions& model, DecoderOptions options = {});

  /// A weight by the name that models::llama gives it.
  void write(std::string_view variable, const Tensor& value) { program_.write(variable, value); }
  Executable& executable() { return program_; }

  /// Continues the texts, at most `rows` of them, each with one token or more.
  /// Returns: the texts with their prompts, each cut behind its stop token
  std::vector<std::vector<std::int64_t>> generate(
      const std::vector<std::vector<std::int64_t>>& prompts, const GenerateOptions& options = {});

 private:
  const DecoderOptions options_;
  Executable program_;
};

namespace models {

/// The program of LlamaGenerator. Entry `start` takes prompts [rows,context] i64 and their lengths
/// [rows] i64; each call of entry `main` moves every text by one token and returns `tokens` [rows],
/// `logits` [rows,vocabulary], and `over`: whether all texts have stopped. The cache is
/// cache.N.{k,v} [rows,key_heads,context,d] for each layer N.
void llama_decoder(Program& net, const LlamaOptions& model, const DecoderOptions& options);

}  // namespace models
}  // namespace penstock
