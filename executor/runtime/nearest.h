#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace penstock::runtime {

/// "'fc1.weight', 'fc2.weight'": up to three of the names, closest spelling first; "none" if there
/// are no names. For errors about a name that does not exist.
std::string nearest_names(std::string_view wanted, const std::vector<std::string_view>& names);

}  // namespace penstock::runtime
