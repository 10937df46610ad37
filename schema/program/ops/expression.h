#pragma once

#include "schema/program/builder.h"

namespace penstock::program {

/// A value of a builder that reads like arithmetic: for expansions and gradients of element-wise
/// ops. All operands of one expression have one type; a number stands for a value full of it.
class Expr {
 public:
  Expr(Builder& b, ValueId id) : b_(&b), id_(id) {}
  operator ValueId() const { return id_; }
  const TensorType& type() const { return b_->type(id_); }
  Builder& builder() const { return *b_; }

  Expr apply(std::string_view op, Attributes attributes = {}) const {
    return {*b_, b_->apply(op, {id_}, std::move(attributes))};
  }
  Expr apply(std::string_view op, Expr other, Attributes attributes = {}) const {
    return {*b_, b_->apply(op, {id_, other.id_}, std::move(attributes))};
  }
  Expr like(double value) const { return {*b_, b_->fill_like(value, type())}; }
  Expr cast(DType dtype) const { return apply("cast", {{"dtype", dtype}}); }

 private:
  Builder* b_;
  ValueId id_;
};

inline Expr operator+(Expr a, Expr b) {
  return a.apply("add", b);
}
inline Expr operator-(Expr a, Expr b) {
  return a.apply("subtract", b);
}
inline Expr operator*(Expr a, Expr b) {
  return a.apply("multiply", b);
}
inline Expr operator/(Expr a, Expr b) {
  return a.apply("divide", b);
}
inline Expr operator+(Expr a, double b) {
  return a + a.like(b);
}
inline Expr operator-(Expr a, double b) {
  return a - a.like(b);
}
inline Expr operator*(Expr a, double b) {
  return a * a.like(b);
}
inline Expr operator/(Expr a, double b) {
  return a / a.like(b);
}
inline Expr operator+(double a, Expr b) {
  return b.like(a) + b;
}
inline Expr operator-(double a, Expr b) {
  return b.like(a) - b;
}
inline Expr operator*(double a, Expr b) {
  return b.like(a) * b;
}
inline Expr operator/(double a, Expr b) {
  return b.like(a) / b;
}
inline Expr operator-(Expr a) {
  return a.apply("negate");
}

/// bool
inline Expr operator>(Expr a, Expr b) {
  return a.apply("greater", b);
}
inline Expr operator>(Expr a, double b) {
  return a > a.like(b);
}
inline Expr operator<(Expr a, Expr b) {
  return b.apply("greater", a);
}
inline Expr operator<(Expr a, double b) {
  return a < a.like(b);
}
inline Expr where(Expr condition, Expr a, Expr b) {
  return {a.builder(), a.builder().apply("select", {condition, a, b})};
}
inline Expr square(Expr x) {
  return x * x;
}

}  // namespace penstock::program
