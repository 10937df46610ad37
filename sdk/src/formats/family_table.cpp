#include "sdk/src/formats/family_table.h"

#include "base/check.h"

namespace penstock::weights {
namespace {

using enum Layout;
constexpr Presence kOptional = Presence::optional;

// transformers, models/gpt2/modeling_gpt2.py; its Conv1D has [in, out] weights.
FamilyTable make_gpt2() {
  return {"gpt2",
          "transformer.",
          Rotary::half_split,
          {{"wte", "wte.weight", same, 2},
           {"wpe", "wpe.weight", same, 2},
           {"h.#.ln_1.scale", "h.#.ln_1.weight"},
           {"h.#.ln_1.bias", "h.#.ln_1.bias"},
           {"h.#.attn.qkv.weight", "h.#.attn.c_attn.weight", same, 2},
           {"h.#.attn.qkv.bias", "h.#.attn.c_attn.bias"},
           {"h.#.attn.proj.weight", "h.#.attn.c_proj.weight", same, 2},
           {"h.#.attn.proj.bias", "h.#.attn.c_proj.bias"},
           {"h.#.ln_2.scale", "h.#.ln_2.weight"},
           {"h.#.ln_2.bias", "h.#.ln_2.bias"},
           {"h.#.mlp.fc.weight", "h.#.mlp.c_fc.weight", same, 2},
           {"h.#.mlp.fc.bias", "h.#.mlp.c_fc.bias"},
           {"h.#.mlp.proj.weight", "h.#.mlp.c_proj.weight", same, 2},
           {"h.#.mlp.proj.bias", "h.#.mlp.c_proj.bias"},
           {"ln_f.scale", "ln_f.weight"},
           {"ln_f.bias", "ln_f.bias"}},
          {"h.#.attn.bias", "h.#.attn.masked_bias"}};
}

// transformers, models/llama/modeling_llama.py
FamilyTable make_llama() {
  return {"llama",
          "",
          Rotary::half_split,
          {{"embed", "model.embed_tokens.weight", same, 2},
           {"layers.#.attn_norm.scale", "model.layers.#.input_layernorm.weight"},
           {"layers.#.attn.wq", "model.layers.#.self_attn.q_proj.weight", query, 2},
           {"layers.#.attn.wk", "model.layers.#.self_attn.k_proj.weight", key, 2},
           {"layers.#.attn.wv", "model.layers.#.self_attn.v_proj.weight", transposed, 2},
           {"layers.#.attn.wo", "model.layers.#.self_attn.o_proj.weight", transposed, 2},
           {"layers.#.mlp_norm.scale", "model.layers.#.post_attention_layernorm.weight"},
           {"layers.#.mlp.w1", "model.layers.#.mlp.gate_proj.weight", transposed, 2},
           {"layers.#.mlp.w2", "model.layers.#.mlp.down_proj.weight", transposed, 2},
           {"layers.#.mlp.w3", "model.layers.#.mlp.up_proj.weight", transposed, 2},
           {"norm.scale", "model.norm.weight"},
           {"head", "lm_head.weight", transposed, 2, kOptional}},
          {"model.layers.#.self_attn.rotary_emb.inv_freq"}};
}

// meta-llama/llama, llama/model.py
FamilyTable make_meta_llama() {
  return {"meta-llama",
          "",
          Rotary::interleaved,
          {{"embed", "tok_embeddings.weight", same, 2},
           {"layers.#.attn_norm.scale", "layers.#.attention_norm.weight"},
           {"layers.#.attn.wq", "layers.#.attention.wq.weight", query, 2},
           {"layers.#.attn.wk", "layers.#.attention.wk.weight", key, 2},
           {"layers.#.attn.wv", "layers.#.attention.wv.weight", transposed, 2},
           {"layers.#.attn.wo", "layers.#.attention.wo.weight", transposed, 2},
           {"layers.#.mlp_norm.scale", "layers.#.ffn_norm.weight"},
           {"layers.#.mlp.w1", "layers.#.feed_forward.w1.weight", transposed, 2},
           {"layers.#.mlp.w2", "layers.#.feed_forward.w2.weight", transposed, 2},
           {"layers.#.mlp.w3", "layers.#.feed_forward.w3.weight", transposed, 2},
           {"norm.scale", "norm.weight"},
           {"head", "output.weight", transposed, 2, kOptional}},
          {"rope.freqs"}};
}

// transformers, models/bert/modeling_bert.py
FamilyTable make_bert() {
  return {
      "bert",
      "bert.",
      Rotary::half_split,
      {{"embeddings.word", "embeddings.word_embeddings.weight", same, 2},
       {"embeddings.position", "embeddings.position_embeddings.weight", same, 2},
       {"embeddings.type", "embeddings.token_type_embeddings.weight", same, 2},
       {"embeddings.norm.scale", "embeddings.LayerNorm.weight"},
       {"embeddings.norm.bias", "embeddings.LayerNorm.bias"},
       {"layers.#.attn.q.weight", "encoder.layer.#.attention.self.query.weight", transposed, 2},
       {"layers.#.attn.q.bias", "encoder.layer.#.attention.self.query.bias"},
       {"layers.#.attn.k.weight", "encoder.layer.#.attention.self.key.weight", transposed, 2},
       {"layers.#.attn.k.bias", "encoder.layer.#.attention.self.key.bias"},
       {"layers.#.attn.v.weight", "encoder.layer.#.attention.self.value.weight", transposed, 2},
       {"layers.#.attn.v.bias", "encoder.layer.#.attention.self.value.bias"},
       {"layers.#.attn.out.weight", "encoder.layer.#.attention.output.dense.weight", transposed, 2},
       {"layers.#.attn.out.bias", "encoder.layer.#.attention.output.dense.bias"},
       {"layers.#.attn_norm.scale", "encoder.layer.#.attention.output.LayerNorm.weight"},
       {"layers.#.attn_norm.bias", "encoder.layer.#.attention.output.LayerNorm.bias"},
       {"layers.#.mlp.fc.weight", "encoder.layer.#.intermediate.dense.weight", transposed, 2},
       {"layers.#.mlp.fc.bias", "encoder.layer.#.intermediate.dense.bias"},
       {"layers.#.mlp.proj.weight", "encoder.layer.#.output.dense.weight", transposed, 2},
       {"layers.#.mlp.proj.bias", "encoder.layer.#.output.dense.bias"},
       {"layers.#.mlp_norm.scale", "encoder.layer.#.output.LayerNorm.weight"},
       {"layers.#.mlp_norm.bias", "encoder.layer.#.output.LayerNorm.bias"},
       {"pooler.weight", "pooler.dense.weight", transposed, 2, kOptional},
       {"pooler.bias", "pooler.dense.bias", same, 1, kOptional}},
      {"embeddings.position_ids"}};
}

}  // namespace

const FamilyTable& family_table(Family family) {
  static const FamilyTable gpt2 = make_gpt2(), llama = make_llama(), meta = make_meta_llama(),
                           bert = make_bert();
  switch (family) {
    case Family::gpt2:
      return gpt2;
    case Family::llama:
      return llama;
    case Family::meta_llama:
      return meta;
    case Family::bert:
      return bert;
  }
  PENSTOCK_CHECK(false, "a family without a table");
  return gpt2;
}

}  // namespace penstock::weights
