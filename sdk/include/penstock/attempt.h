#pragma once

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "penstock/error.h"

namespace penstock {

/// Runs `work` and returns what it returns, or its exception as an Error. The no-throw form of any
/// call: `auto lease = ps::attempt([&] { return client.lease({.devices = 4}); });`
/// Errors: those of Exceptions; resource_exhausted for bad_alloc, internal for any other exception
template <class Work>
auto attempt(Work&& work) noexcept -> Result<std::decay_t<std::invoke_result_t<Work>>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      std::forward<Work>(work)();
      return {};
    } else {
      return std::forward<Work>(work)();
    }
  } catch (const Exception& exception) {
    return exception.error();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::resource_exhausted, "memory ran out"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::internal, exception.what()};
  }
}

}  // namespace penstock
