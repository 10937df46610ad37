#include "penstock/error.h"

namespace penstock {

Exception::Exception(Error error)
    : std::runtime_error(error.message + " (" + std::string(name(error.code)) + ": " +
                         std::string(name(remedy(error.code))) + ")"),
      error_(std::move(error)) {}

}  // namespace penstock
