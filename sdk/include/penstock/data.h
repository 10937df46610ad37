#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "penstock/tensor.h"

namespace penstock::data {

/// A place in a sampler's order: `row` rows of epoch `epoch` are behind it.
struct Position {
  std::int64_t epoch = 0;
  std::int64_t row = 0;
  bool operator==(const Position&) const = default;
};

struct SamplerOptions {
  std::int64_t batch_size = 64;
  std::uint64_t seed = 0;
  bool shuffle = true;
  std::int64_t epochs = 1;
  bool drop_last = false;  // leave out a last batch that is short
  Position position = {};  // where to resume
};

/// Decides which rows make each batch. The order of an epoch depends on seed and epoch alone, so a
/// sampler resumed at a position goes on exactly as the first would have.
/// Threads: one
class Sampler {
 public:
  /// Errors: Exception with invalid_argument for a size below 1 or a position outside
  Sampler(std::int64_t rows, SamplerOptions options);

  /// The rows of the next batch; nothing after the last epoch.
  std::optional<std::vector<std::int64_t>> next();
  Position position() const { return position_; }

 private:
  void begin_epoch();

  std::int64_t rows_;
  SamplerOptions options_;
  Position position_;
  std::int64_t ordered_epoch_ = -1;  // which epoch order_ is of
  std::vector<std::int64_t> order_;
};

/// Rows of a data set, ready for the devices.
struct Batch {
  Tensor images;  // f32, normalised: [n,784] or [n,28,28,1]
  Tensor labels;  // i32 [n]
  std::int64_t rows = 0;
  std::int64_t epoch = 0;
  Position next;  // resume here to continue after this batch
};

struct BatchOptions {
  std::uint64_t seed = 0;
  bool shuffle = true;
  std::int64_t epochs = 1;
  bool drop_last = false;
  Position position = {};
  int prefetch = 4;  // batches made ahead, on one background thread; at least 1
};

/// The batches of a data set, in order, made ahead on a background thread. For one `for` loop.
/// Threads: one
class Batches {
 public:
  class Source;
  explicit Batches(std::unique_ptr<Source> source);
  Batches(Batches&&) noexcept;
  Batches& operator=(Batches&&) noexcept;
  ~Batches();

  /// The next batch; nothing after the last.
  std::optional<Batch> next();
  /// Where the batches delivered so far end.
  Position position() const;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;
    using pointer = const Batch*;
    using reference = const Batch&;
    Iterator() = default;
    explicit Iterator(Batches* batches) : batches_(batches) { ++*this; }
    const Batch& operator*() const { return current_; }
    const Batch* operator->() const { return &current_; }
    Iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return batches_ == other.batches_; }

   private:
    Batches* batches_ = nullptr;  // null: past the end
    Batch current_;
  };
  Iterator begin() { return Iterator(this); }
  Iterator end() { return {}; }

 private:
  std::unique_ptr<Source> source_;
};

/// Images and labels in memory, as bytes. A value: copies share them.
/// Threads: any
class Dataset {
 public:
  /// Images are u8 [n, height, width], labels u8 [n]; `layout` is how batches show the images.
  enum class Layout { flat, channels_last };
  struct Normalisation {
    float mean = 0;
    float deviation = 1;
  };
  Dataset(Tensor images, Tensor labels, Layout layout, Normalisation normalisation);

  std::int64_t size() const { return images_.shape()[0]; }
  Batch gather(std::span<const std::int64_t> rows) const;
  /// In batches of `size`, of which the last may be shorter.
  Batches batches(std::int64_t size, BatchOptions options = {}) const;
  /// The first `rows` rows.
  Dataset first(std::int64_t rows) const;

 private:
  Tensor images_, labels_;
  Layout layout_;
  std::vector<float> scale_;  // normalised value of each byte
};

enum class Split { train, test };

struct FashionMnistOptions {
  Split split = Split::train;
  Dataset::Layout layout = Dataset::Layout::flat;
  std::string directory = "";  // empty: PENSTOCK_DATA, or where Debian's package puts it
};

/// 60,000 training or 10,000 test images of clothes, 28 x 28, in ten classes.
/// Errors: Exception with not_found if the files are not there, data_loss if they are damaged
/// Source: Xiao et al., arXiv:1708.07747; Debian package dataset-fashion-mnist
Dataset fashion_mnist(FashionMnistOptions options = {});

/// Reads an IDX file of bytes, gzipped or not: u8, with the shape that the file gives.
/// Errors: not_found; data_loss naming the file and what is wrong with it
Result<Tensor> read_idx(const std::string& path);

}  // namespace penstock::data
