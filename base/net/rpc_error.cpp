#include "base/net/rpc_error.h"

#include "base/net/coroutine.h"

#include <kj/debug.h>

#include <string_view>

namespace penstock::net {

namespace {

kj::Exception::Type exception_type(ErrorCode code) {
  switch (code) {
    case ErrorCode::unavailable:
      return kj::Exception::Type::DISCONNECTED;
    case ErrorCode::resource_exhausted:
    case ErrorCode::deadline_exceeded:
      return kj::Exception::Type::OVERLOADED;
    case ErrorCode::unimplemented:
      return kj::Exception::Type::UNIMPLEMENTED;
    default:
      return kj::Exception::Type::FAILED;
  }
}

ErrorCode code_of_type(kj::Exception::Type type, std::string_view text) {
  switch (type) {
    case kj::Exception::Type::DISCONNECTED:
      return ErrorCode::unavailable;
    case kj::Exception::Type::OVERLOADED:
      // The text that kj::Timer gives to a deadline that has passed.
      return text == "operation timed out" ? ErrorCode::deadline_exceeded
                                           : ErrorCode::resource_exhausted;
    case kj::Exception::Type::UNIMPLEMENTED:
      return ErrorCode::unimplemented;
    case kj::Exception::Type::FAILED:
      return ErrorCode::internal;
  }
  return ErrorCode::internal;
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

kj::Exception to_exception(const Error& error) {
  std::string text = "[" + std::string(name(error.code)) + "] " + error.message;
  return kj::Exception(exception_type(error.code), __FILE__, __LINE__,
                       kj::heapString(text.c_str()));
}

Error from_exception(const kj::Exception& exception) {
  kj::StringPtr description = exception.getDescription();
  std::string_view text(description.begin(), description.size());
  // Every hop of a relay adds its own.
  while (drop_prefix(text, "remote exception: ")) {
  }
  if (!text.empty() && text.front() == '[') {
    const std::size_t end = text.find("] ");
    if (end != std::string_view::npos) {
      if (auto code = parse_error_code(text.substr(1, end - 1))) {
        return {*code, std::string(text.substr(end + 2))};
      }
    }
  }
  return {code_of_type(exception.getType(), text), std::string(text)};
}

Error deadline_error(std::string_view what, Nanoseconds span) {
  return {ErrorCode::deadline_exceeded,
          std::string(what) + ": no answer within " + format_duration(span)};
}

void throw_error(const Error& error) {
  kj::throwFatalException(to_exception(error));
}

}  // namespace penstock::net
