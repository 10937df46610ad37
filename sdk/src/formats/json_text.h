#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace penstock::weights {

struct JsonLimits {
  std::size_t bytes = 100'000'000;
  std::size_t values = 4'000'000;  // names, numbers, texts, lists and objects together
  int depth = 16;
};

/// Reads a text from outside as JSON, stricter than the parser: a name may come once per object,
/// and there are limits. Errors: data_loss naming the place and the byte; resource_exhausted naming
/// the limit
Result<nlohmann::json> parse_json(std::string_view text, std::string_view place,
                                  JsonLimits limits = {});

}  // namespace penstock::weights
