#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace penstock::collectives {

using Chunk = std::unique_ptr<std::byte[]>;

/// Chunks of one size, kept for the next operation: a first touch of fresh pages costs more than
/// copying into them. Threads: one
class ChunkPool {
 public:
  explicit ChunkPool(std::size_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

  std::size_t chunk_bytes() const { return chunk_bytes_; }

  Chunk take() {
    if (free_.empty()) return Chunk(new std::byte[chunk_bytes_]);
    Chunk chunk = std::move(free_.back());
    free_.pop_back();
    return chunk;
  }
  void give_back(Chunk chunk) { free_.push_back(std::move(chunk)); }

 private:
  std::size_t chunk_bytes_;
  std::vector<Chunk> free_;
};

}  // namespace penstock::collectives
