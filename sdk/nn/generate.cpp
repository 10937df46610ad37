#include "penstock/generate.h"

#include <algorithm>
#include <mutex>

namespace penstock {
namespace {

Program decoder(const models::LlamaOptions& model, const DecoderOptions& options) {
  Program net;
  models::llama_decoder(net, model, options);
  return net;
}

/// The prompts one below the other, filled up with zeros, and their lengths.
Tensors inputs_of(const std::vector<std::vector<std::int64_t>>& prompts,
                  const DecoderOptions& options) {
  if (prompts.empty() || prompts.size() > static_cast<std::size_t>(options.rows))
    throw Exception(invalid("generate: " + std::to_string(prompts.size()) + " prompts; from 1 to " +
                            std::to_string(options.rows) + " fit"));
  std::vector<std::int64_t> texts(static_cast<std::size_t>(options.rows * options.context));
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(options.rows), 1);
  for (std::size_t r = 0; r < prompts.size(); ++r) {
    const auto size = static_cast<std::int64_t>(prompts[r].size());
    if (size < 1 || size > options.context)
      throw Exception(invalid("generate: prompt " + std::to_string(r) + " has " +
                              std::to_string(size) + " tokens; from 1 to " +
                              std::to_string(options.context) + " may be"));
    std::copy(prompts[r].begin(), prompts[r].end(),
              texts.begin() + static_cast<std::ptrdiff_t>(r) * options.context);
    lengths[r] = size;
  }
  return {{"prompts", Tensor(std::move(texts), {options.rows, options.context})},
          {"lengths", Tensor(std::move(lengths), {options.rows})}};
}

/// What the steps have brought so far: filled on the network's thread, read when the call is over.
class Collected {
 public:
  Collected(std::size_t rows, std::int64_t stop) : texts_(rows), stop_(stop) {}

  bool add(RunResult run, const GenerateOptions& options) {
    DecodedStep step;
    const Tensor& tokens = run.outputs.at("tokens");
    const auto all = tokens.view<std::int64_t>();
    const std::lock_guard lock(mutex_);
    step.position = ++position_;
    step.tokens.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(texts_.size()));
    for (std::size_t r = 0; r < texts_.size(); ++r) texts_[r].push_back(step.tokens[r]);
    if (options.logits) add_logits(run.outputs.at("logits"), step);
    return !options.on_step || options.on_step(step);
  }

  std::vector<std::vector<std::int64_t>> texts(
      const std::vector<std::vector<std::int64_t>>& prompts) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<std::int64_t>> out;
    for (std::size_t r = 0; r < texts_.size(); ++r) {
      std::vector<std::int64_t> text{prompts[r][0]};
      for (std::size_t i = 0; i < texts_[r].size(); ++i) {
        text.push_back(texts_[r][i]);
        if (i + 1 >= prompts[r].size() && texts_[r][i] == stop_) break;
      }
      out.push_back(std::move(text));
    }
    return out;
  }

 private:
  void add_logits(const Tensor& logits, DecodedStep& step) const {
    const std::vector<float> all =
        logits.dtype() == f64 ? narrowed(logits.view<double>()) : logits.to_vector<float>();
    const auto width = static_cast<std::ptrdiff_t>(logits.shape()[1]);
    for (std::size_t r = 0; r < texts_.size(); ++r) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r) * width;
      step.logits.emplace_back(begin, begin + width);
    }
  }

  static std::vector<float> narrowed(std::span<const double> values) {
    std::vector<float> out;
    for (const double value : values) out.push_back(static_cast<float>(value));
    return out;
  }

  mutable std::mutex mutex_;
  std::vector<std::vector<std::int64_t>> texts_;
  const std::int64_t stop_;
  std::int64_t position_ = 0;
};

}  // namespace

LlamaGenerator::LlamaGenerator(Lease& lease, const models::LlamaOptions& model,
                               DecoderOptions options)
    : options_(options), program_(lease.load(decoder(model, options))) {}

std::vector<std::vector<std::int64_t>> LlamaGenerator::generate(
    const std::vector<std::vector<std::int64_t>>& prompts, const GenerateOptions& options) {
  Tensors inputs = inputs_of(prompts, options_);
  const std::int64_t most = options_.context - 1;
  const std::int64_t steps = options.steps > 0 ? std::min(options.steps, most) : most;
  Collected collected(prompts.size(), options_.stop);
  program_.run("start", inputs);
  RepeatOptions repeat{.most = static_cast<std::uint64_t>(steps)};
  if (options_.stop >= 0 && prompts.size() == static_cast<std::size_t>(options_.rows))
    repeat.until = "over";
  repeat.on_run = [&](RunResult run) { return collected.add(std::move(run), options); };
  program_.repeat("main", {}, repeat).get();
  return collected.texts(prompts);
}

}  // namespace penstock
