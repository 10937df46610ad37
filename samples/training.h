#pragma once

#include <penstock/penstock.h>

#include <algorithm>
#include <cstring>
#include <iostream>

/// What the two training samples share: the loop, the evaluation and the verdict.
namespace samples {

namespace ps = penstock;

struct Arguments {
  bool local = false;
  bool quick = false;
};

inline Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    arguments.local = arguments.local || std::strcmp(argv[i], "--local") == 0;
    arguments.quick = arguments.quick || std::strcmp(argv[i], "--quick") == 0;
  }
  return arguments;
}

/// How long to train, and the accuracy on the test images that is asked of it.
struct Goal {
  std::int64_t rows = 60000;
  std::int64_t epochs = 2;
  std::int64_t test_rows = 10000;
  double accuracy = 0.8;
};

inline ps::Tensors inputs_of(const ps::data::Batch& batch) {
  return {{"x", batch.images}, {"y", batch.labels}};
}

/// Trains, prints what it took, and tells whether the goal was met.
inline bool train(ps::Lease& lease, ps::Trainer& trainer, std::int64_t batch, const Goal& goal) {
  const auto images = ps::data::fashion_mnist().first(goal.rows);
  const auto test = ps::data::fashion_mnist({.split = ps::data::Split::test}).first(goal.test_rows);
  for (const auto& part : images.batches(batch, {.seed = 1, .epochs = goal.epochs}))
    trainer.step(inputs_of(part));  // a future; nothing waits here
  const auto result = trainer.evaluate(test.batches(batch, {.shuffle = false}), inputs_of);
  const double accuracy = result.metrics.at("accuracy");
  std::cout << trainer.metrics() << "accuracy on " << result.rows << " test images: " << accuracy
            << " (at least " << goal.accuracy << " is asked)\n"
            << lease.bill();
  return accuracy >= goal.accuracy;
}

}  // namespace samples
