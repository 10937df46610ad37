#include "executor/runtime/cpu/regions/regions.h"

#include <array>

#include "executor/runtime/cpu/labels.h"

namespace penstock::runtime::cpu {

std::span<const ClaimedRegion> claimed_regions() {
  static constexpr std::array<ClaimedRegion, 6> kRegions = {{
      {"softmax", run_softmax},
      {"log_softmax", run_log_softmax},
      {"cross_entropy", run_cross_entropy},
      {"cross_entropy_gradient", run_cross_entropy_gradient},
      {"sgd", run_sgd},
      {"adamw", run_adamw},
  }};
  return kRegions;
}

const ClaimedRegion* find_region(std::string_view op, std::span<const program::TensorType> types) {
  using program::DType;
  if (types.empty()) return nullptr;
  if (types[0].dtype != DType::f32 && types[0].dtype != DType::f64) return nullptr;
  const bool takes_labels = op == "cross_entropy" || op == "cross_entropy_gradient";
  if (takes_labels && (types.size() < 2 || !Labels::reads(types[1].dtype))) return nullptr;
  for (const ClaimedRegion& region : claimed_regions()) {
    if (region.op == op) return &region;
  }
  return nullptr;
}

}  // namespace penstock::runtime::cpu
