#pragma once

#include <cstdint>
#include <string>

#include "penstock/nn.h"

// Transformers. Sequences are [n,t]; heads come before their width.
namespace penstock::nn {

struct AttentionOptions {
  bool causal = true;
  double scale = 0;  // of the products; 0: 1 / sqrt(d)
};
/// Softmax of the queries' products with the keys, times the values. Where there are fewer keys
/// than queries' heads, each key serves as many heads as follow one another. Shapes: q [n,t,h,d], k
/// and v [n,s,g,d], h a multiple of g -> [n,t,h,d]; causal: s = t Source: Vaswani et al.,
/// arXiv:1706.03762; grouped keys: arXiv:2305.13245
Value attention(const Value& q, const Value& k, const Value& v, AttentionOptions options = {});

/// Which elements of a head are turned together.
enum class RotaryPairs {
  neighbours,  // 0 and 1, 2 and 3, ..: llama2.c, the paper
  halves,      // 0 and d/2, 1 and d/2 + 1, ..: Hugging Face's Llama, GPT-NeoX
};
/// Turns pairs of elements by angles that grow with the position in the sequence.
/// Shapes: x [n,t,h,d] -> [n,t,h,d], d even
/// Source: Su et al., arXiv:2104.09864
Value rotary(const Value& x, double base = 10000, RotaryPairs pairs = RotaryPairs::neighbours);

}  // namespace penstock::nn

namespace penstock::models {

/// GPT-2: learnt positions, layer norms before each part, gelu by tanh, the token table as the
/// head. Variables, as `wte`, `h.0.attn.qkv.weight`, `ln_f.scale`: see models::gpt. Source: Radford
/// et al. 2019; names of nanoGPT's modules
struct GptOptions {
  std::int64_t vocabulary = 256;
  std::int64_t context = 64;  // the longest sequence
  std::int64_t layers = 4;
  std::int64_t heads = 4;
  std::int64_t width = 128;
  std::string prefix = "";
  nn::Weights weights = nn::Weights::create;
  DType dtype = f32;

  /// "gpt2" (124 million parameters), "small" (0.8 million), "medium" (10.8 million)
  static GptOptions preset(const std::string& name);
};
/// Shapes: tokens [n,t] i32 or i64, t at most the context -> logits [n,t,vocabulary]
/// Variables: wte [vocabulary,width], wpe [context,width], of each layer N h.N.ln_1.{scale,bias},
/// h.N.attn.qkv.{weight,bias}, h.N.attn.proj.*, h.N.ln_2.*, h.N.mlp.fc.*, h.N.mlp.proj.*, and
/// ln_f.*
Value gpt(Program& net, const Value& tokens, GptOptions options = {});

/// Llama: rotary positions, RMS norms, gated feed-forward parts, grouped keys.
/// Source: Touvron et al., arXiv:2302.13971
struct LlamaOptions {
  std::int64_t vocabulary = 512;
  std::int64_t layers = 5;
  std::int64_t heads = 8;
  std::int64_t key_heads = 4;
  std::int64_t width = 64;
  std::int64_t hidden = 172;
  double epsilon = 1e-5;
  double rotary_base = 10000;
  nn::RotaryPairs rotary_pairs = nn::RotaryPairs::neighbours;
  bool tied_head = true;  // the token table as the head; otherwise a variable `head`
  std::string prefix = "";
  nn::Weights weights = nn::Weights::create;
  DType dtype = f32;

  /// "stories260k" (of llama2.c), "7b"
  static LlamaOptions preset(const std::string& name);
};
/// Shapes: tokens [n,t] -> logits [n,t,vocabulary]
/// Variables: embed, of each layer N layers.N.{attn_norm.scale, attn.wq, attn.wk, attn.wv, attn.wo,
/// mlp_norm.scale, mlp.w1, mlp.w2, mlp.w3}, norm.scale, and head; matrices are [in,out]
Value llama(Program& net, const Value& tokens, LlamaOptions options = {});

/// The mean cross-entropy of each next token. Shapes: logits [n,t,v], targets [n,t] -> []
Value next_token_loss(const Value& logits, const Value& targets);

}  // namespace penstock::models
