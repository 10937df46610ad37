#include "schema/program/optimizers.h"

#include <algorithm>

namespace penstock::program {

std::span<const OptimizerRow> optimizers() {
  static const std::vector<OptimizerRow> kRows = {
      {"adam", {"m", "v"}, true},
      {"adamw", {"m", "v"}, true},
      {"lion", {"m"}, false},
      {"sgd", {"momentum"}, false},
  };
  return kRows;
}

const OptimizerRow* find_optimizer(std::string_view op) {
  const auto rows = optimizers();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const OptimizerRow& row) { return row.op == op; });
  return found == rows.end() ? nullptr : &*found;
}

std::string optimizer_names() {
  std::string out;
  const auto rows = optimizers();
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + std::string(rows[i].op);
  return out;
}

}  // namespace penstock::program
