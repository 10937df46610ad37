#pragma once

#include <string>

#include "penstock/lease.h"
#include "penstock/program.h"
#include "sdk/cli/arguments.h"

namespace penstock::cli {

/// A classifier of 28 x 28 images with its loss and accuracy.
struct Model {
  Program program;
  Value loss;
  Value accuracy;
};

/// Errors: Exception with invalid_argument for an unknown model or a batch below 1
Model build_model(const ModelArguments& arguments);
Optimizer build_optimizer(const ModelArguments& arguments);

}  // namespace penstock::cli
