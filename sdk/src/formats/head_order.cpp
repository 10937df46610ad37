#include "sdk/src/formats/head_order.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace penstock::weights {
namespace {

std::int64_t number_in(const std::map<std::string, std::string>& metadata, const char* key) {
  const auto found = metadata.find(key);
  std::int64_t number = 0;
  if (found != metadata.end())
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

}  // namespace

HeadOrder::HeadOrder(const std::map<std::string, std::string>& metadata,
                     const FamilyOptions& options, Rotary theirs)
    : heads_(options.heads > 0 ? options.heads : number_in(metadata, "n_heads")),
      kv_heads_(options.kv_heads > 0 ? options.kv_heads : number_in(metadata, "n_kv_heads")),
      ours_(options.rotary),
      theirs_(theirs) {
  if (kv_heads_ <= 0) kv_heads_ = heads_;
}

Tensor transposed_copy(const Tensor& tensor) {
  constexpr std::size_t kTile = 32;  // both sides of a tile stay in the nearest cache
  const auto rows = static_cast<std::size_t>(tensor.shape()[0]);
  const auto columns = static_cast<std::size_t>(tensor.shape()[1]);
  const auto width = static_cast<std::size_t>(program::size_of(tensor.dtype()));
  const std::byte* in = tensor.bytes().data();
  return Tensor::make(tensor.dtype(), {tensor.shape()[1], tensor.shape()[0]},
                      [&](std::span<std::byte> out) {
                        for (std::size_t r0 = 0; r0 < rows; r0 += kTile)
                          for (std::size_t c0 = 0; c0 < columns; c0 += kTile)
                            for (std::size_t r = r0; r < std::min(rows, r0 + kTile); ++r)
                              for (std::size_t c = c0; c < std::min(columns, c0 + kTile); ++c)
                                std::memcpy(out.data() + (c * rows + r) * width,
                                            in + (r * columns + c) * width, width);
                      });
}

/// The rows [out, in] of each head, pair by pair: row i and i + d/2 of one order are rows 2i and
/// 2i + 1 of the other.
Result<Tensor> HeadOrder::reordered(Layout layout, const Tensor& tensor, Rotary to) const {
  const std::int64_t heads = layout == Layout::query ? heads_ : kv_heads_;
  if (heads <= 0)
    return invalid(
        "its heads must be reordered for the other rotary embedding, and their number is not "
        "known; give heads and kv_heads");
  const std::int64_t rows = tensor.shape()[0];
  if (rows % (2 * heads) != 0)
    return invalid(std::to_string(rows) + " outputs are no pairs in " + std::to_string(heads) +
                   " heads");
  const std::int64_t half = rows / heads / 2;
  const std::size_t row_bytes =
      rows == 0 ? 0 : tensor.bytes().size() / static_cast<std::size_t>(rows);
  return Tensor::make(tensor.dtype(), tensor.shape(), [&](std::span<std::byte> out) {
    for (std::int64_t head = 0; head < heads; ++head)
      for (std::int64_t pair = 0; pair < half; ++pair)
        for (std::int64_t side = 0; side < 2; ++side) {
          const auto split = static_cast<std::size_t>(head * 2 * half + side * half + pair);
          const auto woven = static_cast<std::size_t>(head * 2 * half + 2 * pair + side);
          const auto from = to == Rotary::half_split ? woven : split;
          const auto into = to == Rotary::half_split ? split : woven;
          std::memcpy(out.data() + into * row_bytes, tensor.bytes().data() + from * row_bytes,
                      row_bytes);
        }
  });
}

Result<Tensor> HeadOrder::to_ours(Layout layout, const Tensor& tensor) const {
  if (layout == Layout::same) return tensor;
  if (layout == Layout::transposed || ours_ == theirs_) return transposed_copy(tensor);
  PENSTOCK_ASSIGN(const Tensor rows, reordered(layout, tensor, ours_));
  return transposed_copy(rows);
}

Result<Tensor> HeadOrder::to_theirs(Layout layout, const Tensor& tensor) const {
  if (layout == Layout::same) return tensor;
  const Tensor rows = transposed_copy(tensor);
  if (layout == Layout::transposed || ours_ == theirs_) return rows;
  return reordered(layout, rows, theirs_);
}

}  // namespace penstock::weights
