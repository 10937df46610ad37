#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "penstock/data.h"
#include "sdk/src/prefetcher.h"

namespace penstock::data {

/// What Batches owns: the prefetcher, begun at the first use, and where it is.
class Batches::Source {
 public:
  Source(Dataset dataset, std::int64_t size, BatchOptions options)
      : dataset_(std::move(dataset)),
        sampler_(dataset_.size(), {.batch_size = size,
                                   .seed = options.seed,
                                   .shuffle = options.shuffle,
                                   .epochs = options.epochs,
                                   .drop_last = options.drop_last,
                                   .position = options.position}),
        delivered_(options.position),
        ahead_(static_cast<std::size_t>(std::max(options.prefetch, 1))) {}

  std::optional<Batch> next() {
    if (prefetcher_ == nullptr)
      prefetcher_ = std::make_unique<Prefetcher>([this] { return make(); }, ahead_);
    std::optional<Batch> batch = prefetcher_->take();
    if (batch) delivered_ = batch->next;
    return batch;
  }
  Position delivered() const { return delivered_; }

 private:
  std::optional<Batch> make() {
    const auto rows = sampler_.next();
    if (!rows) return std::nullopt;
    Batch batch = dataset_.gather(*rows);
    batch.next = sampler_.position();
    batch.epoch = batch.next.epoch;
    return batch;
  }

  Dataset dataset_;
  Sampler sampler_;  // of the prefetcher's thread once that runs
  Position delivered_;
  std::size_t ahead_;
  std::unique_ptr<Prefetcher> prefetcher_;  // last: its thread uses the others
};

Batches::Batches(std::unique_ptr<Source> source) : source_(std::move(source)) {}
Batches::Batches(Batches&&) noexcept = default;
Batches& Batches::operator=(Batches&&) noexcept = default;
Batches::~Batches() = default;
std::optional<Batch> Batches::next() {
  return source_->next();
}
Position Batches::position() const {
  return source_->delivered();
}

Batches::Iterator& Batches::Iterator::operator++() {
  std::optional<Batch> next = batches_->next();
  if (next)
    current_ = *std::move(next);
  else
    batches_ = nullptr;
  return *this;
}

Dataset::Dataset(Tensor images, Tensor labels, Layout layout, Normalisation normalisation)
    : images_(std::move(images)), labels_(std::move(labels)), layout_(layout), scale_(256) {
  if (images_.dtype() != u8 || images_.shape().size() != 3 || labels_.dtype() != u8 ||
      labels_.shape() != Extents{images_.shape()[0]})
    throw Exception(invalid("data set: images " + images_.text() + " and labels " + labels_.text() +
                            "; u8 [n,h,w] and u8 [n] are needed"));
  for (std::size_t i = 0; i < scale_.size(); ++i)
    scale_[i] = (static_cast<float>(i) / 255.0F - normalisation.mean) / normalisation.deviation;
}

Batch Dataset::gather(std::span<const std::int64_t> rows) const {
  const std::int64_t height = images_.shape()[1], width = images_.shape()[2];
  const auto pixels = static_cast<std::size_t>(height * width);
  const auto n = static_cast<std::int64_t>(rows.size());
  for (const std::int64_t row : rows)
    if (row < 0 || row >= size())
      throw Exception(invalid("data set: there is no row " + std::to_string(row) + " of " +
                              std::to_string(size())));
  Batch batch;
  batch.rows = n;
  const Extents shape =
      layout_ == Layout::flat ? Extents{n, height * width} : Extents{n, height, width, 1};
  const auto image_bytes = images_.view<std::uint8_t>();
  batch.images = Tensor::make(f32, shape, [&](std::span<std::byte> bytes) {
    auto* out = reinterpret_cast<float*>(bytes.data());
    for (const std::int64_t row : rows)
      for (const std::uint8_t value :
           image_bytes.subspan(static_cast<std::size_t>(row) * pixels, pixels))
        *out++ = scale_[value];
  });
  const auto label_bytes = labels_.view<std::uint8_t>();
  std::vector<std::int32_t> labels;
  labels.reserve(rows.size());
  for (const std::int64_t row : rows) labels.push_back(label_bytes[static_cast<std::size_t>(row)]);
  batch.labels = Tensor(std::move(labels));
  return batch;
}

Batches Dataset::batches(std::int64_t size, BatchOptions options) const {
  return Batches(std::make_unique<Batches::Source>(*this, size, options));
}

Dataset Dataset::first(std::int64_t rows) const {
  Dataset part = *this;
  part.images_ = images_.rows(0, rows);
  part.labels_ = labels_.rows(0, rows);
  return part;
}

Dataset fashion_mnist(FashionMnistOptions options) {
  std::string directory = options.directory;
  if (directory.empty()) {
    const char* chosen = std::getenv("PENSTOCK_DATA");
    directory = chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/datasets/fashion-mnist";
  }
  const std::string stem = directory + (options.split == Split::train ? "/train" : "/t10k");
  Tensor images = value_or_throw(read_idx(stem + "-images-idx3-ubyte.gz"));
  Tensor labels = value_or_throw(read_idx(stem + "-labels-idx1-ubyte.gz"));
  for (const std::uint8_t label : labels.view<std::uint8_t>())
    if (label > 9)
      throw Exception({ErrorCode::data_loss, stem + "-labels-idx1-ubyte.gz: label " +
                                                 std::to_string(label) + "; 0 to 9 are known"});
  // Mean and deviation of the training images.
  return Dataset(std::move(images), std::move(labels), options.layout, {0.2860F, 0.3530F});
}

}  // namespace penstock::data
