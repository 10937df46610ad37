// A convolutional net learns Fashion-MNIST on two leased devices.
#include "samples/training.h"

namespace ps = penstock;

namespace {

constexpr std::int64_t kBatch = 64;

int run(const samples::Arguments& arguments) {
  auto client = arguments.local ? ps::Client::local({.devices = 2}) : ps::Client::connect();
  auto lease = client.lease({.devices = 2});

  ps::Program net;
  auto x = net.input("x", ps::f32, {ps::batch(kBatch), 784});
  auto y = net.input("y", ps::i32, {ps::batch(kBatch)});
  auto logits = ps::nn::convnet(net, x);
  auto trainer = lease.train(ps::cross_entropy(logits, y),
                             {.optimizer = ps::AdamW{.learning_rate = 1e-3},
                              .metrics = {{"accuracy", ps::accuracy(logits, y)}}});

  samples::Goal goal{.accuracy = 0.89};
  if (arguments.quick) goal = {.rows = 3200, .epochs = 1, .test_rows = 1000, .accuracy = 0.60};
  return samples::train(lease, trainer, kBatch, goal) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(samples::parse(argc, argv));
  } catch (const ps::Exception& exception) {
    std::cerr << exception.what() << "\n";
    return 1;
  }
}
