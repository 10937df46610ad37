#include <doctest/doctest.h>

#include "penstock/weights.h"
#include "sdk/src/formats/llama2c.h"
#include "tests/unit/sdk/weights_fixture.h"

using namespace penstock;
using namespace penstock::testing;
using weights::Family;
using weights::Rotary;
using weights::Weights;

namespace {

Tensor counted(Extents shape) {
  std::int64_t n = 1;
  for (const auto extent : shape) n *= extent;
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return Tensor(std::move(values), std::move(shape));
}

Weights one_layer_gpt2(const std::string& prefix) {
  Weights w;
  for (const char* name : {"ln_f.weight", "ln_f.bias", "h.0.ln_1.weight", "h.0.ln_1.bias",
                           "h.0.ln_2.weight", "h.0.ln_2.bias", "h.0.attn.c_attn.bias",
                           "h.0.attn.c_proj.bias", "h.0.mlp.c_fc.bias", "h.0.mlp.c_proj.bias"})
    w.tensors.emplace(prefix + name, counted({2}));
  for (const char* name :
       {"wte.weight", "wpe.weight", "h.0.attn.c_attn.weight", "h.0.attn.c_proj.weight",
        "h.0.mlp.c_fc.weight", "h.0.mlp.c_proj.weight"})
    w.tensors.emplace(prefix + name, counted({2, 3}));
  return w;
}

std::string refusal(Family family, const Weights& w, weights::FamilyOptions options = {}) {
  const auto result = weights::import_family(family, w, options);
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

bool same(const Weights& a, const Weights& b) {
  if (a.tensors.size() != b.tensors.size()) return false;
  for (const auto& [name, tensor] : a.tensors) {
    const auto other = b.tensors.find(name);
    if (other == b.tensors.end() || other->second.text() != tensor.text() ||
        !std::ranges::equal(other->second.bytes(), tensor.bytes()))
      return false;
  }
  return true;
}

/// A llama2.c checkpoint of version 0, put together from its tensors as export.py does.
std::string version0(const Weights& w) {
  std::string out;
  const auto put = [&](std::int32_t value) {
    out.append(reinterpret_cast<const char*>(&value), 4);
  };
  for (const std::int32_t size : {64, 172, 5, 8, 4, 512, 512}) put(size);
  const auto append = [&](const std::string& name) {
    const auto bytes = w.tensors.at(name).bytes();
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  append("tok_embeddings.weight");
  for (const char* name :
       {"attention_norm", "attention.wq", "attention.wk", "attention.wv", "attention.wo",
        "ffn_norm", "feed_forward.w1", "feed_forward.w2", "feed_forward.w3"})
    for (int layer = 0; layer < 5; ++layer)
      append("layers." + std::to_string(layer) + "." + name + ".weight");
  append("norm.weight");
  return out + std::string(std::size_t{512} * 4 * 2 * 4, '\0');  // positions * pairs * (cos, sin)
}

}  // namespace

TEST_CASE("GPT-2's names are taken with and without their prefix, Conv1D as it lies") {
  for (const char* prefix : {"", "transformer."}) {
    const auto ours = weights::import_family(Family::gpt2, one_layer_gpt2(prefix));
    REQUIRE(ours.ok());
    CHECK(ours->tensors.size() == 16);
    CHECK(ours->tensors.at("h.0.attn.qkv.weight").shape() == Extents{2, 3});
    CHECK(ours->tensors.contains("h.0.ln_1.scale"));
    const auto back = weights::export_family(Family::gpt2, *ours);
    REQUIRE(back.ok());
    CHECK(same(*back, one_layer_gpt2("transformer.")));
  }
}

TEST_CASE("GPT-2's causal masks and tied head are no weights; another head is surplus") {
  Weights w = one_layer_gpt2("transformer.");
  w.tensors.emplace("transformer.h.0.attn.bias", counted({1, 1, 2, 2}));
  w.tensors.emplace("lm_head.weight", counted({2, 3}));
  CHECK(weights::import_family(Family::gpt2, w).ok());
  w.tensors["lm_head.weight"] = Tensor::zeros(f32, {2, 3});
  CHECK(refusal(Family::gpt2, w).find("'lm_head.weight'") != std::string::npos);
}

TEST_CASE("all missing and all surplus names are told at once") {
  Weights w = one_layer_gpt2("");
  w.tensors.erase("wpe.weight");
  w.tensors.erase("h.0.mlp.c_fc.bias");
  w.tensors.emplace("h.0.extra", counted({1}));
  w.tensors.emplace("h.1.ln_1.bias", counted({2}));
  const std::string why = refusal(Family::gpt2, w);
  for (const char* name :
       {"'wpe.weight'", "'h.0.mlp.c_fc.bias'", "'h.0.extra'", "'h.1.attn.c_attn.weight'"})
    CHECK_MESSAGE(why.find(name) != std::string::npos, name, " in ", why);
  w = one_layer_gpt2("");
  w.tensors.emplace("h.0.extra", counted({1}));
  CHECK(weights::import_family(Family::gpt2, w, {.drop_surplus = true}).ok());
  w.tensors["wte.weight"] = counted({6});
  CHECK(refusal(Family::gpt2, w).find("f32[6], 2 dimensions") != std::string::npos);
}

TEST_CASE("BERT's matrices are transposed, its old words for norms known, its pooler optional") {
  Weights w;
  for (const char* name :
       {"word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight"})
    w.tensors.emplace("bert.embeddings." + std::string(name), counted({2, 3}));
  w.tensors.emplace("bert.embeddings.LayerNorm.gamma", counted({3}));
  w.tensors.emplace("bert.embeddings.LayerNorm.beta", counted({3}));
  const std::string layer = "bert.encoder.layer.0.";
  for (const char* name : {"attention.self.query", "attention.self.key", "attention.self.value",
                           "attention.output.dense", "intermediate.dense", "output.dense"}) {
    w.tensors.emplace(layer + name + ".weight", counted({2, 3}));
    w.tensors.emplace(layer + name + ".bias", counted({2}));
  }
  for (const char* name : {"attention.output.LayerNorm", "output.LayerNorm"}) {
    w.tensors.emplace(layer + name + ".weight", counted({3}));
    w.tensors.emplace(layer + name + ".bias", counted({3}));
  }
  const auto ours = weights::import_family(Family::bert, w);
  REQUIRE_MESSAGE(ours.ok(), (ours.ok() ? "" : ours.error().message));
  const Tensor& q = ours->tensors.at("layers.0.attn.q.weight");
  CHECK(q.shape() == Extents{3, 2});
  CHECK(q.to_vector<float>() == std::vector<float>{0, 3, 1, 4, 2, 5});
  CHECK(ours->tensors.contains("embeddings.norm.scale"));
  w.tensors.emplace("cls.predictions.bias", counted({2}));
  CHECK(refusal(Family::bert, w).find("'cls.predictions.bias'") != std::string::npos);
}

TEST_CASE("a rotary embedding's pairs move from 2i, 2i+1 to i, i+d/2 in every head, and back") {
  const auto meta = weights::read(test_data("pretrained/stories260K.safetensors"));
  REQUIRE(meta.ok());
  const auto ours = weights::import_family(Family::meta_llama, *meta);
  REQUIRE_MESSAGE(ours.ok(), (ours.ok() ? "" : ours.error().message));
  CHECK_FALSE(ours->tensors.contains("head"));                            // tied
  const Tensor there = meta->tensors.at("layers.2.attention.wk.weight");  // [32, 64], 4 heads
  const Tensor here = ours->tensors.at("layers.2.attn.wk");
  CHECK(here.shape() == Extents{64, 32});
  // Head 1 begins at 8; its pair 3 is rows 14 and 15 there, columns 8 + 3 and 8 + 3 + 4 here.
  const auto a = there.view<float>(), b = here.view<float>();
  CHECK(b[5 * 32 + 11] == a[14 * 64 + 5]);
  CHECK(b[5 * 32 + 15] == a[15 * 64 + 5]);
  const auto back = weights::export_family(Family::meta_llama, *ours);
  REQUIRE(back.ok());
  CHECK(same(*back, *meta));
  const auto kept =
      weights::import_family(Family::meta_llama, *meta, {.rotary = Rotary::interleaved});
  REQUIRE(kept.ok());
  CHECK(kept->tensors.at("layers.2.attn.wk").view<float>()[5 * 32 + 14] == a[14 * 64 + 5]);
  // To Hugging Face's names nothing moves but the transpose; its way back is the same.
  const auto hf = weights::export_family(Family::llama, *ours);
  REQUIRE(hf.ok());
  CHECK(hf->tensors.at("model.layers.2.self_attn.k_proj.weight").view<float>()[11 * 64 + 5] ==
        a[14 * 64 + 5]);
  CHECK(same(*weights::import_family(Family::llama, *hf), *ours));
  Weights silent = *meta;
  silent.metadata.clear();
  CHECK(refusal(Family::meta_llama, silent).find("give heads") != std::string::npos);
  CHECK(refusal(Family::meta_llama, silent, {.heads = 5}).find("no pairs in 5 heads") !=
        std::string::npos);
}

TEST_CASE("a llama2.c checkpoint has the same tensors as the safetensors made of it") {
  const auto meta = weights::read(test_data("pretrained/stories260K.safetensors"));
  REQUIRE(meta.ok());
  const std::string bytes = version0(*meta);
  const auto read = weights::parse_llama2c(in_memory(bytes));
  REQUIRE_MESSAGE(read.ok(), (read.ok() ? "" : read.error().message));
  CHECK(same(*read, *meta));
  CHECK(read->metadata.at("n_kv_heads") == "4");
  for (const std::size_t size : {0u, 27u, 28u, 100000u})
    CHECK_FALSE(weights::parse_llama2c(in_memory(bytes.substr(0, size))).ok());
  CHECK_FALSE(weights::parse_llama2c(in_memory(bytes + "1234")).ok());
  std::string negative = bytes;
  negative[3] = '\xff';
  CHECK(weights::parse_llama2c(in_memory(negative)).error().message.find("dim is") !=
        std::string::npos);
}

TEST_CASE("families that are not known are refused with those that are") {
  CHECK(*weights::parse_family("meta-llama") == Family::meta_llama);
  CHECK(weights::parse_family("t5").error().message ==
        "family 't5': known are gpt2, llama, meta-llama, bert");
}
