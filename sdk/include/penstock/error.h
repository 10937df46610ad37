#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "base/result.h"

namespace penstock {

/// How the SDK reports a failure. `what()` names the operation, the values, the place and the
/// remedy; `error()` has the parts. Where throwing is unwelcome, a function with `try_` in its name
/// returns a Result instead.
class Exception : public std::runtime_error {
 public:
  explicit Exception(Error error);

  const Error& error() const { return error_; }
  ErrorCode code() const { return error_.code; }

 private:
  Error error_;
};

/// The value of `result`, or its error as an Exception.
template <class T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw Exception(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

}  // namespace penstock
