#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "penstock/tensor.h"

namespace penstock::data {

/// Windows of a long sequence of tokens, for language models.
struct TextBatch {
  Tensor tokens;   // i32 [n,length]
  Tensor targets;  // i32 [n,length]: each next token
  std::int64_t rows = 0;
};

/// A text as tokens. A value: copies share them.
/// Threads: any
class Text {
 public:
  /// Errors: Exception with invalid_argument if there are not two tokens or one is negative
  explicit Text(std::vector<std::int32_t> tokens);
  /// One token per byte of a file, 0 to 255.
  /// Errors: not_found, data_loss for an unreadable file, invalid_argument for one that is too
  /// short
  static Result<Text> bytes_of(const std::string& path);

  std::int64_t size() const { return static_cast<std::int64_t>(tokens_->size()); }
  std::span<const std::int32_t> tokens() const { return *tokens_; }
  /// Tokens [begin, end).
  Text part(std::int64_t begin, std::int64_t end) const;

  /// Batch number `step` of a random order: `rows` windows of `length` tokens whose places depend
  /// on seed and step alone, so that a job resumed at a step goes on as it would have. Errors:
  /// Exception with invalid_argument where the text is shorter than a window
  TextBatch random(std::int64_t step, std::int64_t rows, std::int64_t length,
                   std::uint64_t seed = 0) const;
  /// Windows one behind the other from the text's begin: number `index` of batches of `rows`.
  TextBatch in_order(std::int64_t index, std::int64_t rows, std::int64_t length) const;
  /// How many windows follow one another.
  std::int64_t windows(std::int64_t length) const { return (size() - 1) / length; }

 private:
  TextBatch windows_at(const std::vector<std::int64_t>& starts, std::int64_t length) const;
  std::shared_ptr<const std::vector<std::int32_t>> tokens_;  // shared: they never change
};

}  // namespace penstock::data
