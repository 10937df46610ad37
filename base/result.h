#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace penstock {

/// What went wrong, in the words of the caller's next action (see `remedy`).
enum class ErrorCode {
  invalid_argument,     // the input is wrong whatever the state
  not_found,            // the name or number does not exist here
  already_exists,       // the name or number is taken
  unauthenticated,      // who is calling is not known
  permission_denied,    // known, but not allowed
  failed_precondition,  // right input, wrong moment
  resource_exhausted,   // a limit, a budget, memory or devices ran out
  deadline_exceeded,    // the deadline passed first
  unavailable,          // the other side is gone or not up yet
  cancelled,            // somebody asked for it to stop
  data_loss,            // stored or received bytes are damaged
  unimplemented,        // a known thing that this build cannot do yet
  internal,             // a defect here
};

/// What a caller can do about an error.
enum class Remedy { fix_input, retry, back_off, give_up };

Remedy remedy(ErrorCode code);
std::string_view name(ErrorCode code);
std::string_view name(Remedy remedy);
std::optional<ErrorCode> parse_error_code(std::string_view name);

/// A failure that can happen in a right program. The text names the operation, the values and the
/// place: `matmul %7: inner sizes differ: lhs [64, 784], rhs [512, 10]`.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  /// The same failure seen from further out: `place: message`.
  Error in(std::string_view place) && {
    return Error{code, std::string(place) + ": " + std::move(message)};
  }
  bool operator==(const Error&) const = default;
};

inline Error invalid(std::string message) {
  return {ErrorCode::invalid_argument, std::move(message)};
}

/// A value or the reason why there is none.
/// Errors: reading the wrong side is a failed check.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & {
    PENSTOCK_CHECK(ok(), error_text());
    return std::get<0>(state_);
  }
  const T& value() const& {
    PENSTOCK_CHECK(ok(), error_text());
    return std::get<0>(state_);
  }
  T&& value() && {
    PENSTOCK_CHECK(ok(), error_text());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & {
    PENSTOCK_CHECK(!ok());
    return std::get<1>(state_);
  }
  const Error& error() const& {
    PENSTOCK_CHECK(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    PENSTOCK_CHECK(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::string error_text() const { return ok() ? std::string() : std::get<1>(state_).message; }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  void value() const { PENSTOCK_CHECK(ok(), error_->message); }
  Error& error() & {
    PENSTOCK_CHECK(!ok());
    return *error_;
  }
  const Error& error() const& {
    PENSTOCK_CHECK(!ok());
    return *error_;
  }
  Error&& error() && {
    PENSTOCK_CHECK(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace penstock

#define PENSTOCK_CONCAT_(a, b) a##b
#define PENSTOCK_CONCAT(a, b) PENSTOCK_CONCAT_(a, b)

/// Returns the error of `expression` (a Result) from the enclosing function, if it has one.
#define PENSTOCK_TRY(...)                                                         \
  do {                                                                            \
    auto penstock_try_result = (__VA_ARGS__);                                     \
    if (!penstock_try_result.ok()) return std::move(penstock_try_result).error(); \
  } while (false)

/// `PENSTOCK_ASSIGN(auto x, f())`: x is f's value, or the enclosing function returns f's error.
#define PENSTOCK_ASSIGN(declaration, ...)                                  \
  auto PENSTOCK_CONCAT(penstock_result_, __LINE__) = (__VA_ARGS__);        \
  if (!PENSTOCK_CONCAT(penstock_result_, __LINE__).ok())                   \
    return std::move(PENSTOCK_CONCAT(penstock_result_, __LINE__)).error(); \
  declaration = std::move(PENSTOCK_CONCAT(penstock_result_, __LINE__)).value()
