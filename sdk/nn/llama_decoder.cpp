#include <cmath>

#include "penstock/generate.h"
#include "penstock/indexing.h"
#include "penstock/maths.h"

namespace penstock::models {
namespace {

class Decoder {
 public:
  Decoder(Program& net, const LlamaOptions& model, const DecoderOptions& options)
      : net_(net), model_(model), options_(options), width_(model.width / model.heads) {}

  void build() {
    const VariableOptions state{.trainable = false};
    const Value texts =
        net_.variable("state.texts", i64, {options_.rows, options_.context}, init::zeros(), state);
    const Value lengths =
        net_.variable("state.lengths", i64, {options_.rows}, init::zeros(), state);
    const Value stopped =
        net_.variable("state.stopped", boolean, {options_.rows}, init::zeros(), state);
    place_ = net_.variable("state.position", i64, {}, init::zeros(), state);
    build_start(texts, lengths, stopped);

    const Value logits = forward(reshape(at(texts, place_), {options_.rows}));
    const Value next_place = place_ + 1;
    const Value follows = less(broadcast_to(next_place, {options_.rows}), lengths);
    Value next = select(follows, reshape(at(texts, next_place), {options_.rows}), argmax(logits));
    if (options_.stop >= 0)  // a text that has stopped goes on stopping
      next = select(stopped, scalar_like(next, static_cast<double>(options_.stop)), next);
    const Value ended = logical_and(
        logical_not(follows), equal(next, scalar_like(next, static_cast<double>(options_.stop))));
    const Value all_stopped = logical_or(stopped, ended);
    net_.assign(texts, scatter(texts, index(next_place, {options_.rows, 1}),
                               reshape(next, {options_.rows, 1}), 1));
    net_.assign(stopped, all_stopped);
    net_.assign(place_, next_place);
    net_.output("tokens", next);
    net_.output("logits", logits);
    net_.output("over", all(all_stopped));
  }

 private:
  void build_start(const Value& texts, const Value& lengths, const Value& stopped) {
    Entry start = net_.entry("start");
    const Value given = start.input("prompts", i64, {options_.rows, options_.context});
    const Value sizes = start.input("lengths", i64, {options_.rows});
    start.assign(texts, given);
    start.assign(lengths, sizes);
    start.assign(stopped, less(sizes, sizes));
    start.assign(place_, sum(sizes - sizes));
    start.output("rows", sum(sizes));
  }

  /// A position as indices of this shape.
  static Value index(const Value& place, const Shape& shape) { return broadcast_to(place, shape); }
  Value at(const Value& texts, const Value& place) const {
    return gather(texts, index(place, {options_.rows, 1}), 1);
  }

  std::string name(const std::string& rest) const { return model_.prefix + rest; }

  Value matrix(const std::string& rest, std::int64_t in, std::int64_t out) {
    return net_.variable(name(rest), model_.dtype, {in, out}, init::normal(0, 0.02));
  }
  Value norm(const Value& x, const std::string& rest) {
    return nn::rms_norm(net_, x, {.name = name(rest), .epsilon = model_.epsilon});
  }

  /// tokens [rows] -> logits [rows,vocabulary]
  Value forward(const Value& tokens) {
    const Value table = net_.variable(name("embed"), model_.dtype,
                                      {model_.vocabulary, model_.width}, init::normal(0, 0.02));
    Value x = embedding(table, tokens);
    for (std::int64_t layer = 0; layer < model_.layers; ++layer) x = block(x, layer);
    x = norm(x, "norm");
    if (model_.tied_head) return matmul(x, table, {.transpose_rhs = true});
    return matmul(x, matrix("head", model_.width, model_.vocabulary));
  }

  Value block(const Value& x, std::int64_t layer) {
    const std::string prefix = "layers." + std::to_string(layer) + ".";
    const Value mixed = x + attend(norm(x, prefix + "attn_norm"), prefix + "attn.", layer);
    const Value y = norm(mixed, prefix + "mlp_norm");
    const Value gate = matmul(y, matrix(prefix + "mlp.w1", model_.width, model_.hidden));
    const Value up = matmul(y, matrix(prefix + "mlp.w3", model_.width, model_.hidden));
    return mixed + matmul(swiglu(gate, up), matrix(prefix + "mlp.w2", model_.hidden, model_.width));
  }

  Value attend(const Value& x, const std::string& prefix, std::int64_t layer) {
    const std::int64_t rows = options_.rows, groups = model_.key_heads;
    const std::int64_t each = model_.heads / groups, keys = groups * width_;
    const Value q =
        turned(matmul(x, matrix(prefix + "wq", model_.width, model_.width)), model_.heads);
    const Value k = turned(matmul(x, matrix(prefix + "wk", model_.width, keys)), groups);
    const Value v = matmul(x, matrix(prefix + "wv", model_.width, keys));
    const Value all_keys = kept("cache." + std::to_string(layer) + ".k", k);
    const Value all_values = kept("cache." + std::to_string(layer) + ".v", v);
    const Value queries =
        reshape(q, {rows, groups, each, width_}) / std::sqrt(static_cast<double>(width_));
    const Value scores = matmul(queries, all_keys, {.transpose_rhs = true});
    const Value later = greater(iota(place_, options_.context), place_);
    const Value weights = softmax(
        select(later, scalar_like(scores, -std::numeric_limits<double>::infinity()), scores));
    return matmul(reshape(matmul(weights, all_values), {rows, model_.width}),
                  matrix(prefix + "wo", model_.width, model_.width));
  }

  /// The cache with this position's [rows, groups * d] in its place.
  Value kept(const std::string& cache_name, const Value& now) {
    const Shape shape{options_.rows, model_.key_heads, options_.context, width_};
    const Shape one{options_.rows, model_.key_heads, 1, width_};
    const Value cache =
        net_.variable(name(cache_name), model_.dtype, shape, init::zeros(), {.trainable = false});
    const Value next = scatter(cache, index(place_, one), reshape(now, one), 2);
    net_.assign(cache, next);
    return next;
  }

  /// Rotary at the position: [rows, heads * d] -> [rows, heads, d].
  Value turned(const Value& x, std::int64_t heads) {
    const std::int64_t half = width_ / 2;
    const Value steps =
        exp(iota(x, half, f64) * (-std::log(model_.rotary_base) / static_cast<double>(half)));
    const Value angles = steps * cast(place_, f64);
    const bool neighbours = model_.rotary_pairs == nn::RotaryPairs::neighbours;
    const Shape repeated = neighbours ? Shape{half, 1} : Shape{half};
    const Value c = reshape(cast(cos(angles), model_.dtype), repeated);
    const Value s = reshape(cast(sin(angles), model_.dtype), repeated);
    const int across = neighbours ? 3 : 2;
    const Shape paired =
        neighbours ? Shape{options_.rows, heads, half, 2} : Shape{options_.rows, heads, 2, half};
    const auto parts = split(reshape(x, paired), 2, across);
    const Value both = concat({parts[0] * c - parts[1] * s, parts[0] * s + parts[1] * c}, across);
    return reshape(both, {options_.rows, heads, width_});
  }

  Program& net_;
  const LlamaOptions& model_;
  const DecoderOptions& options_;
  const std::int64_t width_;  // of a head
  Value place_;
};

}  // namespace

void llama_decoder(Program& net, const LlamaOptions& model, const DecoderOptions& options) {
  if (options.rows < 1 || options.context < 2)
    throw Exception(invalid("llama decoder: " + std::to_string(options.rows) + " texts of " +
                            std::to_string(options.context) + " tokens"));
  Decoder(net, model, options).build();
}

}  // namespace penstock::models
