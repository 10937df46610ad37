#include "executor/compiler/place/buffers.h"

#include <algorithm>
#include <numeric>

namespace penstock::compiler {

std::int64_t pack(std::vector<Buffer>& buffers, std::int64_t start) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  std::int64_t end = start;
  std::vector<ByteRange> taken;
  for (std::size_t n = 0; n < order.size(); ++n) {
    Buffer& buffer = buffers[order[n]];
    taken.clear();
    for (std::size_t m = 0; m < n; ++m) {
      const Buffer& other = buffers[order[m]];
      if (buffer.first <= other.last && other.first <= buffer.last)
        taken.push_back({other.offset, other.offset + other.bytes});
    }
    std::sort(taken.begin(), taken.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    buffer.offset = start;
    for (const ByteRange& range : taken) {
      if (range.begin >= buffer.offset + buffer.bytes) break;
      buffer.offset = std::max(buffer.offset, range.end);
    }
    end = std::max(end, buffer.offset + buffer.bytes);
  }
  return end;
}

}  // namespace penstock::compiler
