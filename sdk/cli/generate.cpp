#include <algorithm>
#include <iostream>
#include <mutex>

#include "penstock/generate.h"
#include "penstock/tokenizer.h"
#include "penstock/weights.h"
#include "sdk/cli/connection.h"
#include "sdk/cli/interrupt.h"

namespace penstock::cli {
namespace {

/// A Llama as a file has it.
struct Stored {
  models::LlamaOptions model;
  Tensors weights;
};

const Tensor& weight(const Tensors& weights, const std::string& name) {
  const auto found = weights.find(name);
  if (found == weights.end())
    throw Exception({ErrorCode::not_found, "generate: the weights have no '" + name + "'"});
  return found->second;
}

std::int64_t number(const weights::Weights& file, const std::string& key, std::int64_t given) {
  if (given > 0) return given;
  const auto found = file.metadata.find(key);
  if (found != file.metadata.end()) return std::strtoll(found->second.c_str(), nullptr, 10);
  throw Exception(invalid("generate: the file does not say " + key + "; give --" +
                          (key == "n_heads" ? "heads" : "kv-heads")));
}

Stored read_llama(const GenerateArguments& arguments) {
  const auto file = value_or_throw(weights::read(arguments.weights));
  const auto family = value_or_throw(weights::parse_family(arguments.family));
  const std::int64_t heads = number(file, "n_heads", arguments.heads);
  const std::int64_t key_heads = number(file, "n_kv_heads", arguments.key_heads);
  const bool meta = family == weights::Family::meta_llama;
  Stored out;
  out.weights = value_or_throw(weights::import_family(family, file,
                                                      {.rotary = meta ? weights::Rotary::interleaved
                                                                      : weights::Rotary::half_split,
                                                       .heads = heads,
                                                       .kv_heads = key_heads,
                                                       .drop_surplus = true}))
                    .tensors;
  models::LlamaOptions& model = out.model;
  const Extents table = weight(out.weights, "embed").shape();
  model.vocabulary = table.at(0);
  model.width = table.at(1);
  model.heads = heads;
  model.key_heads = key_heads;
  model.hidden = weight(out.weights, "layers.0.mlp.w1").shape().at(1);
  model.layers = std::count_if(out.weights.begin(), out.weights.end(), [](const auto& item) {
    const std::string& name = item.first;
    return name.size() > 8 && name.compare(name.size() - 8, 8, ".attn.wq") == 0;
  });
  model.rotary_base = arguments.rotary_base;
  model.rotary_pairs = meta ? nn::RotaryPairs::neighbours : nn::RotaryPairs::halves;
  model.tied_head = out.weights.find("head") == out.weights.end();
  return out;
}

/// Prints a text as its tokens come.
class Printer {
 public:
  Printer(const Tokenizer& tokenizer, bool json) : tokenizer_(tokenizer), json_(json) {}

  bool show(const DecodedStep& step) {
    const auto token = static_cast<std::int32_t>(step.tokens[0]);
    std::string piece = value_or_throw(tokenizer_.piece(token));
    if (step.position == 1 && !json_ && !piece.empty() && piece[0] == ' ') piece.erase(0, 1);
    if (json_)
      std::cout << "{\"event\":\"token\",\"position\":" << step.position << ",\"token\":" << token
                << ",\"text\":" << json_string(piece) << "}" << std::endl;
    else
      std::cout << piece << std::flush;
    return true;
  }

 private:
  const Tokenizer& tokenizer_;
  const bool json_;
};

}  // namespace

ExitCode run_generate(const GenerateArguments& arguments) {
  Interrupt interrupt;
  const auto tokenizer = value_or_throw(Tokenizer::read(arguments.tokenizer));
  const Stored stored = read_llama(arguments);
  std::vector<std::int64_t> prompt;
  if (const auto begin = tokenizer.begin_token()) prompt.push_back(*begin);
  if (!arguments.prompt.empty())
    for (const std::int32_t token : value_or_throw(tokenizer.encode(arguments.prompt)))
      prompt.push_back(token);
  Client client = open_client(arguments.connection, 1);
  Lease lease = client.lease({.devices = 1});
  const std::int64_t steps = static_cast<std::int64_t>(prompt.size()) - 1 + arguments.tokens;
  LlamaGenerator generator(
      lease, stored.model,
      {.rows = 1, .context = steps + 1, .stop = tokenizer.end_token().value_or(-1)});
  const Interrupt::Action cancel(interrupt, [&generator] { generator.executable().cancel(); });
  for (const auto& [name, tensor] : stored.weights) generator.write(name, tensor);
  Printer printer(tokenizer, arguments.json);
  GenerateOptions options{.steps = steps};
  options.on_step = [&](const DecodedStep& step) { return printer.show(step); };
  generator.generate({prompt}, options);
  const Bill bill = lease.release();
  if (arguments.json)
    std::cout << "{\"event\":\"bill\",\"total_nanos\":" << bill.total.nanos << "}" << std::endl;
  else
    std::cout << "\n" << bill;
  return ExitCode::ok;
}

}  // namespace penstock::cli
