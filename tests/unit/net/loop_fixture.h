#pragma once

#include <kj/async-io.h>

#include <string>

#include "base/net/coroutine.h"
#include "base/net/event_loop.h"

namespace penstock::net::test {

/// The longest that any wait in these tests takes when something is broken.
inline constexpr Nanoseconds kDeadline = 20s;

inline std::unique_ptr<EventLoop> make_loop() {
  auto loop = EventLoop::create();
  REQUIRE(loop.ok());
  return std::move(*loop);
}

/// Waits with the deadline; a failure fails the test.
template <class T>
T wait_for(EventLoop& loop, kj::Promise<T> promise, std::string what = "the test") {
  return with_deadline(loop.timer(), kDeadline, kj::mv(promise), what).wait(loop.wait_scope());
}

/// Waits for what must fail, and gives the error.
template <class T>
Error error_of(EventLoop& loop, kj::Promise<T> promise, std::string what = "the test") {
  auto result =
      wait_result(with_deadline(loop.timer(), kDeadline, kj::mv(promise), what), loop.wait_scope());
  REQUIRE_FALSE(result.ok());
  return result.error();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// `size` bytes whose value depends on their position in no short period.
inline std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

}  // namespace penstock::net::test
