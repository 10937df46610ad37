#pragma once

#include "schema/program/ops/adamw.h"
#include "schema/program/ops/add.h"
#include "schema/program/ops/argmax.h"
#include "schema/program/ops/avg_pool2d.h"
#include "schema/program/ops/avg_pool2d_gradient.h"
#include "schema/program/ops/batch_size.h"
#include "schema/program/ops/broadcast.h"
#include "schema/program/ops/cast.h"
#include "schema/program/ops/constant.h"
#include "schema/program/ops/conv2d.h"
#include "schema/program/ops/conv2d_filter_gradient.h"
#include "schema/program/ops/conv2d_input_gradient.h"
#include "schema/program/ops/cross_entropy.h"
#include "schema/program/ops/cross_entropy_gradient.h"
#include "schema/program/ops/divide.h"
#include "schema/program/ops/equal.h"
#include "schema/program/ops/exp.h"
#include "schema/program/ops/greater.h"
#include "schema/program/ops/log.h"
#include "schema/program/ops/log_softmax.h"
#include "schema/program/ops/matmul.h"
#include "schema/program/ops/max_pool2d.h"
#include "schema/program/ops/max_pool2d_gradient.h"
#include "schema/program/ops/maximum.h"
#include "schema/program/ops/mean.h"
#include "schema/program/ops/multiply.h"
#include "schema/program/ops/negate.h"
#include "schema/program/ops/one_hot.h"
#include "schema/program/ops/pick.h"
#include "schema/program/ops/reduce_max.h"
#include "schema/program/ops/reduce_sum.h"
#include "schema/program/ops/relu.h"
#include "schema/program/ops/relu_gradient.h"
#include "schema/program/ops/reshape.h"
#include "schema/program/ops/select.h"
#include "schema/program/ops/sgd.h"
#include "schema/program/ops/sigmoid.h"
#include "schema/program/ops/softmax.h"
#include "schema/program/ops/sqrt.h"
#include "schema/program/ops/subtract.h"
#include "schema/program/ops/tanh.h"
#include "schema/program/ops/transpose.h"

namespace penstock::program {

template <class... Ops>
struct TypeList {};

/// The ops. A new op is one pair of files in schema/program/ops/, its name here, and a reference in
/// tests/conformance/; tables, text, SDK and conformance tests follow from the list.
using OpList =
    TypeList<Constant, BatchSize, Add, Subtract, Multiply, Divide, Maximum, Negate, Exp, Log, Sqrt,
             Tanh, Sigmoid, Relu, ReluGradient, Equal, Greater, Select, Cast, ReduceSum, ReduceMax,
             Argmax, Matmul, Conv2d, Conv2dInputGradient, Conv2dFilterGradient, MaxPool2d,
             MaxPool2dGradient, AvgPool2d, AvgPool2dGradient, Reshape, Broadcast, Transpose, OneHot,
             Pick, Softmax, LogSoftmax, CrossEntropy, CrossEntropyGradient, Mean, Sgd, Adamw>;

}  // namespace penstock::program
