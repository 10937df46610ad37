#include "penstock/text_data.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/random.h"

namespace penstock::data {

Text::Text(std::vector<std::int32_t> tokens)
    : tokens_(std::make_shared<const std::vector<std::int32_t>>(std::move(tokens))) {
  if (tokens_->size() < 2)
    throw Exception(invalid("text: " + std::to_string(tokens_->size()) +
                            " tokens; two are the least from which one can be learnt"));
  const auto negative =
      std::find_if(tokens_->begin(), tokens_->end(), [](std::int32_t token) { return token < 0; });
  if (negative != tokens_->end())
    throw Exception(invalid("text: token " + std::to_string(negative - tokens_->begin()) + " is " +
                            std::to_string(*negative)));
}

Result<Text> Text::bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::not_found, "text: cannot open " + path};
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) return Error{ErrorCode::data_loss, "text: cannot read " + path};
  if (bytes.size() < 2)
    return invalid("text: " + path + " has " + std::to_string(bytes.size()) + " bytes");
  std::vector<std::int32_t> tokens;
  tokens.reserve(bytes.size());
  for (const char byte : bytes) tokens.push_back(static_cast<unsigned char>(byte));
  return Text(std::move(tokens));
}

Text Text::part(std::int64_t begin, std::int64_t end) const {
  if (begin < 0 || end > size() || begin > end)
    throw Exception(invalid("text: part [" + std::to_string(begin) + ", " + std::to_string(end) +
                            ") of " + std::to_string(size()) + " tokens"));
  return Text({tokens_->begin() + begin, tokens_->begin() + end});
}

TextBatch Text::random(std::int64_t step, std::int64_t rows, std::int64_t length,
                       std::uint64_t seed) const {
  if (rows < 1 || length < 1 || length >= size())
    throw Exception(invalid("text: " + std::to_string(rows) + " windows of " +
                            std::to_string(length) + " tokens from " + std::to_string(size())));
  SeededRandom places = SeededRandom::stream(seed, static_cast<std::uint64_t>(step));
  std::vector<std::int64_t> starts;
  for (std::int64_t r = 0; r < rows; ++r)
    starts.push_back(
        static_cast<std::int64_t>(places.below(static_cast<std::uint64_t>(size() - length))));
  return windows_at(starts, length);
}

TextBatch Text::in_order(std::int64_t index, std::int64_t rows, std::int64_t length) const {
  std::vector<std::int64_t> starts;
  for (std::int64_t w = index * rows; w < std::min((index + 1) * rows, windows(length)); ++w)
    starts.push_back(w * length);
  if (index < 0 || starts.empty())
    throw Exception(invalid("text: batch " + std::to_string(index) + " of " +
                            std::to_string(windows(length)) + " windows of " +
                            std::to_string(length) + " tokens"));
  return windows_at(starts, length);
}

TextBatch Text::windows_at(const std::vector<std::int64_t>& starts, std::int64_t length) const {
  const auto rows = static_cast<std::int64_t>(starts.size());
  std::vector<std::int32_t> tokens, targets;
  for (const std::int64_t start : starts) {
    const auto from = tokens_->begin() + start;
    tokens.insert(tokens.end(), from, from + length);
    targets.insert(targets.end(), from + 1, from + length + 1);
  }
  return {Tensor(std::move(tokens), {rows, length}), Tensor(std::move(targets), {rows, length}),
          rows};
}

}  // namespace penstock::data
