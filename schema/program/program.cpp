#include "schema/program/program.h"

namespace penstock::program {

const Entry* Program::find_entry(std::string_view name) const {
  for (const Entry& entry : entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

std::optional<std::int32_t> Program::find_variable(std::string_view name) const {
  for (std::size_t i = 0; i < variables.size(); ++i)
    if (variables[i].name == name) return static_cast<std::int32_t>(i);
  return std::nullopt;
}

}  // namespace penstock::program
