#include "penstock/optimizer.h"

#include <string>

#include "penstock/error.h"
#include "schema/program/optimizers.h"

namespace penstock {
namespace {

template <class T>
Optimizer with_rate(double learning_rate) {
  T options;
  if (learning_rate > 0) options.learning_rate = learning_rate;
  return options;
}

}  // namespace

Optimizer optimizer_by_name(std::string_view name, double learning_rate) {
  if (name == "adamw") return with_rate<AdamW>(learning_rate);
  if (name == "sgd") return with_rate<SGD>(learning_rate);
  if (name == "adam") return with_rate<Adam>(learning_rate);
  if (name == "lion") return with_rate<Lion>(learning_rate);
  throw Exception({ErrorCode::not_found, "there is no optimizer '" + std::string(name) +
                                             "'; there are " + program::optimizer_names()});
}

}  // namespace penstock
