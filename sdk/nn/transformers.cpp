#include <cmath>

#include "penstock/indexing.h"
#include "penstock/maths.h"
#include "penstock/transformer.h"

namespace penstock::models {
namespace {

using nn::Weights;

std::int64_t length_of(const Value& tokens, const char* model) {
  if (tokens.shape().size() == 2 && !tokens.shape()[1].dynamic) return tokens.shape()[1].bound;
  throw Exception(invalid(std::string(model) + " of " + tokens.text() +
                          ": tokens [n,t] with a fixed t are needed"));
}

void check_heads(const char* model, std::int64_t width, std::int64_t heads) {
  if (heads > 0 && width % heads == 0) return;
  throw Exception(invalid(std::string(model) + ": " + std::to_string(heads) +
                          " heads do not divide a width of " + std::to_string(width)));
}

/// [n,t,h*d] -> [n,t,h,d]
Value apart(const Value& x, std::int64_t heads) {
  const Shape shape = x.shape();
  return reshape(x, {shape[0], shape[1], heads, shape[2].bound / heads});
}
/// [n,t,h,d] -> [n,t,h*d]
Value together(const Value& x) {
  const Shape shape = x.shape();
  return reshape(x, {shape[0], shape[1], shape[2].bound * shape[3].bound});
}

/// The layers of one GPT, by name.
class Gpt {
 public:
  Gpt(Program& net, const GptOptions& options) : net_(net), options_(options) {}

  Value block(const Value& x, std::int64_t layer) const {
    const std::string name = "h." + std::to_string(layer) + ".";
    const Value mixed = x + attend(norm(x, name + "ln_1"), name + "attn.");
    const Value hidden = linear(norm(mixed, name + "ln_2"), 4 * options_.width, name + "mlp.fc");
    return mixed + linear(gelu_tanh(hidden), options_.width, name + "mlp.proj", true);
  }

  Value norm(const Value& x, const std::string& name) const {
    return nn::layer_norm(net_, x, {.name = options_.prefix + name, .weights = options_.weights});
  }

 private:
  Value attend(const Value& x, const std::string& name) const {
    const auto parts = split(linear(x, 3 * options_.width, name + "qkv"), 3, -1);
    const Value mixed =
        nn::attention(apart(parts[0], options_.heads), apart(parts[1], options_.heads),
                      apart(parts[2], options_.heads));
    return linear(together(mixed), options_.width, name + "proj", true);
  }

  /// GPT-2's initial values: those that end a residual part are smaller by the root of their
  /// number.
  Value linear(const Value& x, std::int64_t out, const std::string& name,
               bool ends_residual = false) const {
    const double parts = ends_residual ? 2 * static_cast<double>(options_.layers) : 1;
    return nn::linear(net_, x, out,
                      {.name = options_.prefix + name,
                       .deviation = 0.02 / std::sqrt(parts),
                       .weights = options_.weights});
  }

  Program& net_;
  const GptOptions& options_;
};

class Llama {
 public:
  Llama(Program& net, const LlamaOptions& options) : net_(net), options_(options) {}

  Value block(const Value& x, std::int64_t layer) const {
    const std::string name = "layers." + std::to_string(layer) + ".";
    const Value mixed = x + attend(norm(x, name + "attn_norm"), name + "attn.");
    const Value y = norm(mixed, name + "mlp_norm");
    const Value hidden = swiglu(project(y, options_.hidden, name + "mlp.w1"),
                                project(y, options_.hidden, name + "mlp.w3"));
    return mixed + project(hidden, options_.width, name + "mlp.w2");
  }

  Value norm(const Value& x, const std::string& name) const {
    return nn::rms_norm(
        net_, x,
        {.name = options_.prefix + name, .epsilon = options_.epsilon, .weights = options_.weights});
  }

  /// x times a matrix without a bias.
  Value project(const Value& x, std::int64_t out, const std::string& name) const {
    const Shape shape{x.shape().back(), out};
    const std::string full = options_.prefix + name;
    const Value weight = options_.weights == Weights::create
                             ? net_.variable(full, x.dtype(), shape, init::normal(0, 0.02))
                             : net_.variable(full);
    return matmul(x, weight);
  }

 private:
  Value attend(const Value& x, const std::string& name) const {
    const std::int64_t keys = options_.width / options_.heads * options_.key_heads;
    const auto turned = [&](const Value& value) {
      return nn::rotary(value, options_.rotary_base, options_.rotary_pairs);
    };
    const Value q = turned(apart(project(x, options_.width, name + "wq"), options_.heads));
    const Value k = turned(apart(project(x, keys, name + "wk"), options_.key_heads));
    const Value v = apart(project(x, keys, name + "wv"), options_.key_heads);
    return project(together(nn::attention(q, k, v)), options_.width, name + "wo");
  }

  Program& net_;
  const LlamaOptions& options_;
};

[[noreturn]] void no_preset(const char* model, const std::string& name, const char* known) {
  throw Exception({ErrorCode::not_found,
                   std::string(model) + ": there is no preset '" + name + "'; there are " + known});
}

}  // namespace

GptOptions GptOptions::preset(const std::string& name) {
  GptOptions options;
  if (name == "small") return options;
  if (name == "medium") {
    options.context = 256;
    options.layers = options.heads = 6;
    options.width = 384;
    return options;
  }
  if (name != "gpt2") no_preset("gpt", name, "small, medium and gpt2");
  options.vocabulary = 50257;
  options.context = 1024;
  options.layers = options.heads = 12;
  options.width = 768;
  return options;
}

LlamaOptions LlamaOptions::preset(const std::string& name) {
  LlamaOptions options;
  if (name == "stories260k") return options;
  if (name != "7b") no_preset("llama", name, "stories260k and 7b");
  options.vocabulary = 32000;
  options.layers = options.heads = options.key_heads = 32;
  options.width = 4096;
  options.hidden = 11008;
  options.rotary_pairs = nn::RotaryPairs::halves;
  options.tied_head = false;
  return options;
}

Value gpt(Program& net, const Value& tokens, GptOptions options) {
  const std::int64_t length = length_of(tokens, "gpt");
  check_heads("gpt", options.width, options.heads);
  if (length > options.context)
    throw Exception(invalid("gpt of " + tokens.text() + ": the context is " +
                            std::to_string(options.context) + " tokens"));
  const Gpt layers(net, options);
  const nn::EmbeddingOptions table{
      .name = options.prefix + "wte", .deviation = 0.02, .weights = options.weights};
  nn::EmbeddingOptions places = table;
  places.name = options.prefix + "wpe";
  Value x = nn::embedding(net, tokens, options.vocabulary, options.width, table, options.dtype) +
            nn::embedding(net, iota(tokens, length), options.context, options.width, places,
                          options.dtype);
  for (std::int64_t layer = 0; layer < options.layers; ++layer) x = layers.block(x, layer);
  return matmul(layers.norm(x, "ln_f"), net.variable(table.name), {.transpose_rhs = true});
}

Value llama(Program& net, const Value& tokens, LlamaOptions options) {
  length_of(tokens, "llama");
  check_heads("llama", options.width, options.heads);
  check_heads("llama", options.heads, options.key_heads);
  const Llama layers(net, options);
  const nn::EmbeddingOptions table{
      .name = options.prefix + "embed", .deviation = 0.02, .weights = options.weights};
  Value x = nn::embedding(net, tokens, options.vocabulary, options.width, table, options.dtype);
  for (std::int64_t layer = 0; layer < options.layers; ++layer) x = layers.block(x, layer);
  x = layers.norm(x, "norm");
  if (!options.tied_head) return layers.project(x, options.vocabulary, "head");
  return matmul(x, net.variable(table.name), {.transpose_rhs = true});
}

Value next_token_loss(const Value& logits, const Value& targets) {
  return cross_entropy(logits, targets);
}

}  // namespace penstock::models
