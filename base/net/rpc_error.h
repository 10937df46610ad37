#pragma once

#include <kj/async.h>
#include <kj/exception.h>

#include <string>
#include <type_traits>
#include <utility>

#include "base/result.h"

namespace penstock::net {

/// The exception that carries `error` over an RPC border: the code goes in front of the text, as
/// in "[not_found] lease 7: no such lease", and decides the exception's type.
kj::Exception to_exception(const Error& error);

/// The error inside an exception, whether ours or the library's own, local or remote. Without a
/// code in the text the type decides: DISCONNECTED is unavailable, OVERLOADED is
/// resource_exhausted, UNIMPLEMENTED is unimplemented, FAILED is internal.
Error from_exception(const kj::Exception& exception);

/// Leaves for the RPC border. Only code that the RPC library calls may use it.
[[noreturn]] void throw_error(const Error& error);

template <class T>
T or_throw(Result<T> result) {
  if (!result.ok()) throw_error(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(result).value();
}

/// Runs `work` and turns what it throws into an error.
template <class Work>
auto catch_error(Work&& work) -> Result<decltype(work())> {
  using T = decltype(work());
  try {
    if constexpr (std::is_void_v<T>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const kj::Exception& exception) {
    return from_exception(exception);
  } catch (const std::exception& exception) {
    return Error{ErrorCode::internal, exception.what()};
  }
}

/// A promise that never breaks: it gives the value or the error.
template <class T>
kj::Promise<Result<T>> settle(kj::Promise<T> promise) {
  if constexpr (std::is_void_v<T>) {
    return promise.then([]() { return Result<void>(); },
                        [](kj::Exception&& e) { return Result<void>(from_exception(e)); });
  } else {
    return promise.then([](T&& value) { return Result<T>(kj::mv(value)); },
                        [](kj::Exception&& e) { return Result<T>(from_exception(e)); });
  }
}

/// Runs the loop until `promise` is done.
template <class T>
Result<T> wait_result(kj::Promise<T> promise, kj::WaitScope& scope) {
  return settle(kj::mv(promise)).wait(scope);
}

}  // namespace penstock::net
