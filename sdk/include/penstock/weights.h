#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "penstock/tensor.h"

/// Files of weights: safetensors (also in shards), npy, npz and llama2.c checkpoints.
///
///     auto file = ps::value_or_throw(ps::weights::read("model.safetensors"));
///     for (const auto& [name, tensor] : file.tensors) trainer.write(name, tensor);
///
/// Files come from anywhere, so nothing in them is believed: what is wrong with one is an error
/// that names the file, the tensor and the numbers. Errors: not_found if a file cannot be opened,
/// data_loss if it is damaged, unimplemented for a known thing that is not read (an element type,
/// zip64), invalid_argument for a wrong request Threads: any
namespace penstock::weights {

/// Named tensors and what a file says about them.
struct Weights {
  Tensors tensors;
  std::map<std::string, std::string> metadata = {};
};

/// Reads a file of any format below; its name's end decides: .safetensors, .safetensors.index.json,
/// .npz, .npy (one tensor, named after the file), .bin (a llama2.c checkpoint).
Result<Weights> read(const std::string& path);
/// Writes the format that the name's end decides: .safetensors, .npz, or .npy for one tensor. The
/// file appears whole or not at all.
Status write(const std::string& path, const Weights& weights);

/// The file is mapped, not copied: tensors share its pages, and must not outlast a change of the
/// file's content. Only tensors that lie askew for their type are copied. I16 and U16 are widened
/// to i32, U32 to i64; other types without a twin here are refused by name. Source:
/// https://github.com/huggingface/safetensors (README, "Format")
Result<Weights> read_safetensors(const std::string& path);
/// Reads `model.safetensors.index.json` and the shards that it names, which lie beside it.
Result<Weights> read_safetensors_index(const std::string& path);
Status write_safetensors(const std::string& path, const Weights& weights);

/// Versions 1 to 3, little-endian, C or Fortran order; 16-bit and unsigned 32-bit integers widened.
/// Source: numpy.lib.format
Result<Tensor> read_npy(const std::string& path);
/// Errors: unimplemented for bf16, which numpy does not have
Status write_npy(const std::string& path, const Tensor& tensor);

enum class Compression { stored, deflate };

/// An archive of .npy files, stored or deflated; every checksum is compared.
/// Errors: unimplemented for zip64: keep what exceeds 4 GiB in safetensors
Result<Tensors> read_npz(const std::string& path);
Status write_npz(const std::string& path, const Tensors& tensors,
                 Compression compression = Compression::stored);

/// A checkpoint of llama2.c, versions 0 (headerless) and 1, as Meta's tensor names; the metadata
/// has dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size and max_seq_len. Source:
/// https://github.com/karpathy/llama2.c, export.py
Result<Weights> read_llama2c(const std::string& path);

/// Whose names a file uses, and how its matrices lie.
enum class Family {
  gpt2,        // Hugging Face's GPT-2
  llama,       // Hugging Face's Llama
  meta_llama,  // Meta's and llama2.c's Llama
  bert,        // Hugging Face's BERT
};
/// "gpt2", "llama", "meta-llama", "bert"
std::string_view name(Family family);
/// Errors: invalid_argument listing the families
Result<Family> parse_family(std::string_view text);

/// Which elements of a head's query and key a rotary embedding turns together.
enum class Rotary {
  half_split,   // i and i + d/2, as Hugging Face
  interleaved,  // 2i and 2i + 1, as Meta
};

struct FamilyOptions {
  /// How Penstock's own weights lie.
  Rotary rotary = Rotary::half_split;
  /// Of a llama, where the layouts differ; 0: what the metadata says.
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  /// Whether tensors that the family does not know are left out instead of refused.
  bool drop_surplus = false;
};

/// From the family's names and layouts to Penstock's, whose matrices are all [in, out]:
///
///     gpt    wte wpe h.N.ln_1.{scale,bias} h.N.attn.{qkv,proj}.{weight,bias} h.N.ln_2.*
///            h.N.mlp.{fc,proj}.* ln_f.*
///     llama  embed layers.N.attn_norm.scale layers.N.attn.{wq,wk,wv,wo} layers.N.mlp_norm.scale
///            layers.N.mlp.{w1,w2,w3} norm.scale head
///     bert   embeddings.{word,position,type} embeddings.norm.{scale,bias}
///            layers.N.attn.{q,k,v,out}.{weight,bias} layers.N.attn_norm.* layers.N.mlp.{fc,proj}.*
///            layers.N.mlp_norm.* pooler.{weight,bias}
///
/// A llama without `head` uses `embed` in its place; a bert may come without pooler.
/// Errors: invalid_argument with all missing and all surplus names, or a tensor of the wrong rank
Result<Weights> import_family(Family family, const Weights& weights, FamilyOptions options = {});
/// The way back, for a file that the family's own programs can read.
Result<Weights> export_family(Family family, const Weights& weights, FamilyOptions options = {});

}  // namespace penstock::weights
