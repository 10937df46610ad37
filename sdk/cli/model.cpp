#include "sdk/cli/model.h"

#include "penstock/nn.h"

namespace penstock::cli {

Model build_model(const ModelArguments& arguments) {
  if (arguments.batch < 1)
    throw Exception(
        invalid("--batch " + std::to_string(arguments.batch) + ": 1 or more is needed"));
  Model model;
  Program& net = model.program;
  net.seed(arguments.seed);
  const Value x = net.input("x", f32, {batch(arguments.batch), 784});
  const Value y = net.input("y", i32, {batch(arguments.batch)});
  Value logits;
  if (arguments.model == "mlp")
    logits = nn::mlp(net, x, {512, 256, 10});
  else if (arguments.model == "convnet")
    logits = nn::convnet(net, x);
  else
    throw Exception(invalid("--model '" + arguments.model + "': mlp and convnet are known"));
  model.loss = cross_entropy(logits, y);
  model.accuracy = accuracy(logits, y);
  return model;
}

Optimizer build_optimizer(const ModelArguments& arguments) {
  const double rate = arguments.learning_rate;
  if (arguments.optimizer == "adamw") return rate > 0 ? AdamW{.learning_rate = rate} : AdamW{};
  if (arguments.optimizer == "sgd")
    return rate > 0 ? SGD{.learning_rate = rate, .momentum = 0.9} : SGD{.momentum = 0.9};
  throw Exception(invalid("--optimizer '" + arguments.optimizer + "': adamw and sgd are known"));
}

}  // namespace penstock::cli
