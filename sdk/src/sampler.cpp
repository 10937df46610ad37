#include <algorithm>
#include <numeric>
#include <utility>

#include "base/random.h"
#include "penstock/data.h"

namespace penstock::data {

Sampler::Sampler(std::int64_t rows, SamplerOptions options)
    : rows_(rows), options_(options), position_(options.position) {
  if (rows < 1 || options.batch_size < 1 || options.epochs < 0)
    throw Exception(invalid("sampler: " + std::to_string(rows) + " rows in batches of " +
                            std::to_string(options.batch_size) + " for " +
                            std::to_string(options.epochs) + " epochs; all must be positive"));
  if (position_.epoch < 0 || position_.row < 0 || position_.row > rows)
    throw Exception(invalid("sampler: cannot resume at row " + std::to_string(position_.row) +
                            " of epoch " + std::to_string(position_.epoch) + "; an epoch has " +
                            std::to_string(rows) + " rows"));
}

void Sampler::begin_epoch() {
  if (ordered_epoch_ == position_.epoch) return;
  order_.resize(static_cast<std::size_t>(rows_));
  std::iota(order_.begin(), order_.end(), 0);
  ordered_epoch_ = position_.epoch;
  if (!options_.shuffle) return;
  // One stream per epoch, so that resuming does not replay the epochs before.
  SeededRandom random =
      SeededRandom::stream(options_.seed, static_cast<std::uint64_t>(position_.epoch));
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[static_cast<std::size_t>(random.below(i))]);
}

std::optional<std::vector<std::int64_t>> Sampler::next() {
  const std::int64_t least = options_.drop_last ? options_.batch_size : 1;
  if (rows_ - position_.row < least) position_ = {position_.epoch + 1, 0};
  if (position_.epoch >= options_.epochs || rows_ < least) return std::nullopt;
  begin_epoch();
  const std::int64_t count = std::min(options_.batch_size, rows_ - position_.row);
  const auto from = order_.begin() + position_.row;
  std::vector<std::int64_t> batch(from, from + count);
  position_.row += count;
  return batch;
}

}  // namespace penstock::data
