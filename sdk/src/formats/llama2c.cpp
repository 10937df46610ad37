#include "sdk/src/formats/llama2c.h"

#include <array>

#include "sdk/src/formats/stored_type.h"

// Version 0: seven i32, then f32 tensors, each kind for all layers; a table of the rotary embedding
// stands before the classifier. Version 1: "ak42", version, seven i32, a byte that says whether the
// classifier is the embedding, zeros up to byte 256; norms first; no table.
namespace penstock::weights {
namespace {

constexpr std::uint64_t kMagic1 = 0x616b3432;
constexpr std::size_t kHeaderBytes0 = 28;
constexpr std::size_t kHeaderBytes1 = 256;
constexpr std::int64_t kSizeMax = 1 << 24;

struct LlamaSizes {
  std::int64_t dim = 0, hidden = 0, layers = 0, heads = 0, kv_heads = 0, vocabulary = 0, length = 0;
  bool tied = false;
  std::int64_t kv_dim() const { return dim / heads * kv_heads; }
};

std::int64_t signed32(std::span<const std::byte> bytes) {
  return static_cast<std::int32_t>(little_endian(bytes.first(4)));
}

Result<LlamaSizes> read_sizes(std::span<const std::byte> bytes, const std::string& path) {
  std::array<std::int64_t, 7> n{};
  for (std::size_t i = 0; i < n.size(); ++i) n[i] = signed32(bytes.subspan(4 * i));
  LlamaSizes sizes{n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
  constexpr std::array<const char*, 7> kNames = {
      "dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "max_seq_len"};
  for (std::size_t i = 0; i < n.size(); ++i)
    if (std::abs(n[i]) > kSizeMax || (i != 5 && n[i] < 1) || n[i] == 0)
      return damaged(path, std::string(kNames[i]) + " is " + std::to_string(n[i]) +
                               ": not a llama2.c checkpoint?");
  if (sizes.dim % sizes.heads != 0 || sizes.heads % sizes.kv_heads != 0)
    return damaged(path, "dim " + std::to_string(sizes.dim) + ", n_heads " +
                             std::to_string(sizes.heads) + " and n_kv_heads " +
                             std::to_string(sizes.kv_heads) + " do not divide each other");
  return sizes;
}

/// Takes f32 tensors off the file, one after the other.
class TensorReader {
 public:
  TensorReader(const FileBytes& file, std::size_t at, std::string note, Weights& out)
      : file_(file), rest_(file.bytes.subspan(at)), note_(std::move(note)), out_(out) {}

  Status take(const std::string& name, Extents shape) {
    std::uint64_t bytes = 4;  // sizes are below 2^24, so that the product of two cannot overflow
    for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
    if (bytes > rest_.size())
      return damaged(file_.path, "it ends inside tensor " + name + ", of which " +
                                     std::to_string(bytes) + " bytes were to come and " +
                                     std::to_string(rest_.size()) + " do (" + note_ + ")");
    PENSTOCK_ASSIGN(Tensor tensor, tensor_in(file_, stored_type_of(DType::f32), std::move(shape),
                                             rest_.first(bytes)));
    rest_ = rest_.subspan(bytes);
    if (!name.empty()) out_.tensors.emplace(name, std::move(tensor));
    return {};
  }
  /// One of each layer.
  Status take_layers(const LlamaSizes& sizes, const std::string& name, const Extents& shape) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
      PENSTOCK_TRY(take("layers." + std::to_string(i) + "." + name + ".weight", shape));
    return {};
  }
  Status skip(std::uint64_t bytes) {
    if (bytes > rest_.size()) return damaged(file_.path, "it ends inside the rotary table");
    rest_ = rest_.subspan(bytes);
    return {};
  }
  Status end() const {
    if (rest_.empty()) return {};
    return damaged(file_.path,
                   std::to_string(rest_.size()) + " bytes follow its tensors (" + note_ + ")");
  }

 private:
  const FileBytes& file_;
  std::span<const std::byte> rest_;
  const std::string note_;
  Weights& out_;
};

std::map<std::string, std::string> describe(const LlamaSizes& s) {
  return {{"dim", std::to_string(s.dim)},
          {"hidden_dim", std::to_string(s.hidden)},
          {"n_layers", std::to_string(s.layers)},
          {"n_heads", std::to_string(s.heads)},
          {"n_kv_heads", std::to_string(s.kv_heads)},
          {"vocab_size", std::to_string(s.vocabulary)},
          {"max_seq_len", std::to_string(s.length)}};
}

Status take_matrices(TensorReader& in, const LlamaSizes& s) {
  PENSTOCK_TRY(in.take_layers(s, "attention.wq", {s.dim, s.dim}));
  PENSTOCK_TRY(in.take_layers(s, "attention.wk", {s.kv_dim(), s.dim}));
  PENSTOCK_TRY(in.take_layers(s, "attention.wv", {s.kv_dim(), s.dim}));
  return in.take_layers(s, "attention.wo", {s.dim, s.dim});
}

Status take_feed_forward(TensorReader& in, const LlamaSizes& s) {
  PENSTOCK_TRY(in.take_layers(s, "feed_forward.w1", {s.hidden, s.dim}));
  PENSTOCK_TRY(in.take_layers(s, "feed_forward.w2", {s.dim, s.hidden}));
  return in.take_layers(s, "feed_forward.w3", {s.hidden, s.dim});
}

Status read_version0(TensorReader& in, const LlamaSizes& s) {
  PENSTOCK_TRY(in.take("tok_embeddings.weight", {s.vocabulary, s.dim}));
  PENSTOCK_TRY(in.take_layers(s, "attention_norm", {s.dim}));
  PENSTOCK_TRY(take_matrices(in, s));
  PENSTOCK_TRY(in.take_layers(s, "ffn_norm", {s.dim}));
  PENSTOCK_TRY(take_feed_forward(in, s));
  PENSTOCK_TRY(in.take("norm.weight", {s.dim}));
  // Cosines and sines of every position, which follow from the sizes.
  PENSTOCK_TRY(in.skip(static_cast<std::uint64_t>(s.length * (s.dim / s.heads / 2) * 2 * 4)));
  if (!s.tied) PENSTOCK_TRY(in.take("output.weight", {s.vocabulary, s.dim}));
  return in.end();
}

Status read_version1(TensorReader& in, const LlamaSizes& s) {
  PENSTOCK_TRY(in.take_layers(s, "attention_norm", {s.dim}));
  PENSTOCK_TRY(in.take_layers(s, "ffn_norm", {s.dim}));
  PENSTOCK_TRY(in.take("norm.weight", {s.dim}));
  PENSTOCK_TRY(in.take("tok_embeddings.weight", {s.vocabulary, s.dim}));
  PENSTOCK_TRY(take_matrices(in, s));
  PENSTOCK_TRY(take_feed_forward(in, s));
  if (!s.tied) PENSTOCK_TRY(in.take("output.weight", {s.vocabulary, s.dim}));
  return in.end();
}

}  // namespace

Result<Weights> parse_llama2c(const FileBytes& file) {
  if (file.bytes.size() < kHeaderBytes0)
    return damaged(file.path, "it is too short for a llama2.c checkpoint");
  Weights out;
  if (little_endian(file.bytes.first(4)) != kMagic1) {
    PENSTOCK_ASSIGN(LlamaSizes sizes, read_sizes(file.bytes, file.path));
    sizes.tied = sizes.vocabulary > 0;  // a negative size says that there is a classifier
    sizes.vocabulary = std::abs(sizes.vocabulary);
    TensorReader in(file, kHeaderBytes0, "version 0", out);
    PENSTOCK_TRY(read_version0(in, sizes));
    out.metadata = describe(sizes);
    return out;
  }
  const std::int64_t version = signed32(file.bytes.subspan(4));
  if (version != 1)
    return Error{ErrorCode::unimplemented, file.path + ": it is a llama2.c checkpoint of version " +
                                               std::to_string(version) +
                                               "; 0 and 1 are read: export it in f32"};
  if (file.bytes.size() < kHeaderBytes1) return damaged(file.path, "it ends inside its header");
  PENSTOCK_ASSIGN(LlamaSizes sizes, read_sizes(file.bytes.subspan(8), file.path));
  if (sizes.vocabulary < 0) return damaged(file.path, "vocab_size is negative");
  sizes.tied = file.bytes[8 + kHeaderBytes0] != std::byte{0};
  TensorReader in(file, kHeaderBytes1, "version 1", out);
  PENSTOCK_TRY(read_version1(in, sizes));
  out.metadata = describe(sizes);
  return out;
}

Result<Weights> read_llama2c(const std::string& path) {
  PENSTOCK_ASSIGN(const FileBytes file, map_file(path));
  return parse_llama2c(file);
}

}  // namespace penstock::weights
