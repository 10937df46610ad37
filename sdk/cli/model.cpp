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
  Optimizer optimizer = optimizer_by_name(arguments.optimizer, arguments.learning_rate);
  if (SGD* sgd = std::get_if<SGD>(&optimizer)) sgd->momentum = 0.9;
  return optimizer;
}

}  // namespace penstock::cli
