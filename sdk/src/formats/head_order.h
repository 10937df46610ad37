#pragma once

#include <map>
#include <string>

#include "sdk/src/formats/family_table.h"

namespace penstock::weights {

/// Moves a matrix between a family's layout and Penstock's: transposes it, and reorders the outputs
/// of each head where the two turn other pairs.
class HeadOrder {
 public:
  HeadOrder(const std::map<std::string, std::string>& metadata, const FamilyOptions& options,
            Rotary theirs);

  /// Errors: invalid_argument if the number of heads is needed and not known, or does not fit
  Result<Tensor> to_ours(Layout layout, const Tensor& tensor) const;
  Result<Tensor> to_theirs(Layout layout, const Tensor& tensor) const;

 private:
  Result<Tensor> reordered(Layout layout, const Tensor& tensor, Rotary to) const;

  std::int64_t heads_ = 0, kv_heads_ = 0;  // 0: not known
  Rotary ours_, theirs_;
};

/// Shapes: [a,b] -> [b,a]
Tensor transposed_copy(const Tensor& tensor);

}  // namespace penstock::weights
