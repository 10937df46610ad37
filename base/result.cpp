#include "base/result.h"

#include <array>

namespace penstock {
namespace {

struct Row {
  ErrorCode code;
  std::string_view name;
  Remedy remedy;
};

constexpr std::array kRows = {
    Row{ErrorCode::invalid_argument, "invalid_argument", Remedy::fix_input},
    Row{ErrorCode::not_found, "not_found", Remedy::fix_input},
    Row{ErrorCode::already_exists, "already_exists", Remedy::fix_input},
    Row{ErrorCode::unauthenticated, "unauthenticated", Remedy::fix_input},
    Row{ErrorCode::permission_denied, "permission_denied", Remedy::fix_input},
    Row{ErrorCode::failed_precondition, "failed_precondition", Remedy::fix_input},
    Row{ErrorCode::resource_exhausted, "resource_exhausted", Remedy::back_off},
    Row{ErrorCode::deadline_exceeded, "deadline_exceeded", Remedy::retry},
    Row{ErrorCode::unavailable, "unavailable", Remedy::retry},
    Row{ErrorCode::cancelled, "cancelled", Remedy::give_up},
    Row{ErrorCode::data_loss, "data_loss", Remedy::give_up},
    Row{ErrorCode::unimplemented, "unimplemented", Remedy::give_up},
    Row{ErrorCode::internal, "internal", Remedy::give_up},
};

const Row& row(ErrorCode code) {
  for (const Row& candidate : kRows)
    if (candidate.code == code) return candidate;
  return kRows.back();
}

}  // namespace

Remedy remedy(ErrorCode code) {
  return row(code).remedy;
}

std::string_view name(ErrorCode code) {
  return row(code).name;
}

std::string_view name(Remedy remedy) {
  switch (remedy) {
    case Remedy::fix_input:
      return "fix the input";
    case Remedy::retry:
      return "retry";
    case Remedy::back_off:
      return "back off, then retry";
    case Remedy::give_up:
      return "give up";
  }
  return "give up";
}

std::optional<ErrorCode> parse_error_code(std::string_view name) {
  for (const Row& candidate : kRows)
    if (candidate.name == name) return candidate.code;
  return std::nullopt;
}

}  // namespace penstock
