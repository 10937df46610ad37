#pragma once

#include <string>

namespace penstock::executor::test {

/// Least squares in one weight: loss = mean((w x - t)^2), plain gradient descent at rate 0.01. With
/// x = 1, 2, 3, 4, t = 2 x and w = 0, by hand: loss 30, gradient 2 mean((w x - t) x) = -30, so
/// w = 0.3; then loss 1.7^2 * 7.5 = 21.675, gradient -25.5, w = 0.555.
inline std::string line_fit() {
  return R"(penstock program 1
seed 7
variable w: f32[1,1] trainable constant(0.0)
entry main {
  %0: f32[<=4,1] = input x
  %1: f32[<=4,1] = input t
  %2: f32[1,1] = read w
  %3: f32[<=4,1] = matmul(%0, %2) {transpose_lhs=false, transpose_rhs=false}
  %4: f32[<=4,1] = subtract(%3, %1)
  %5: f32[<=4,1] = multiply(%4, %4)
  %6: f32[] = mean(%5) {dims=[0,1], of=0}
  output loss = %6
}
train main minimize loss with sgd {momentum=0.0, weight_decay=0.0} learning_rate 0.01
)";
}

/// A net of two layers over eight classes. Its last layer starts at zero, so that every logit is 0
/// and the first loss is ln 8, whatever comes in.
inline std::string small_mlp() {
  return R"(penstock program 1
seed 11
variable fc1: f32[6,16] trainable uniform(-0.5, 0.5)
variable fc2: f32[16,8] trainable constant(0.0)
entry main {
  %0: f32[<=12,6] = input x
  %1: i32[<=12] = input y
  %2: f32[6,16] = read fc1
  %3: f32[<=12,16] = matmul(%0, %2) {transpose_lhs=false, transpose_rhs=false}
  %4: f32[<=12,16] = relu(%3)
  %5: f32[16,8] = read fc2
  %6: f32[<=12,8] = matmul(%4, %5) {transpose_lhs=false, transpose_rhs=false}
  %7: f32[<=12] = cross_entropy(%6, %1)
  %8: f32[] = mean(%7) {dims=[0], of=0}
  output loss = %8
  output logits = %6
}
train main minimize loss with sgd {momentum=0.9, weight_decay=0.0} learning_rate 0.1
)";
}

}  // namespace penstock::executor::test
