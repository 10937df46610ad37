#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "executor/collectives/transport.h"

namespace penstock::collectives {

/// One send or receive that a transport has under way. Its address stays the same.
struct PostingRecord {
  void* owner = nullptr;    // for a completion callback that is given the record alone
  void* request = nullptr;  // the library's own handle while it runs
  Envelope envelope;
  std::uint64_t bytes = 0;
  bool in_use = false;
  bool done = false;
  std::optional<Error> error;
  std::uint32_t generation = 0;
};

/// The postings of one transport: names that go stale when their record is used again.
class PostingTable {
 public:
  PostingRecord& add(void* owner, Envelope envelope, std::uint64_t bytes) {
    if (free_.empty()) {
      records_.emplace_back();
      free_.push_back(records_.size() - 1);
    }
    PostingRecord& record = records_[free_.back()];
    last_ = free_.back();
    free_.pop_back();
    const std::uint32_t generation = record.generation;
    record = {};
    record.generation = generation;
    record.owner = owner;
    record.envelope = envelope;
    record.bytes = bytes;
    record.in_use = true;
    return record;
  }

  /// The name of what `add` returned last.
  Posting last() const { return {(std::uint64_t{records_[last_].generation} << 32) | (last_ + 1)}; }

  /// Null for a posting that has ended.
  PostingRecord* find(Posting posting) {
    const std::uint64_t index = (posting.value & 0xffffffff) - 1;
    if (index >= records_.size()) return nullptr;
    PostingRecord& record = records_[index];
    const bool current = record.in_use && record.generation == posting.value >> 32;
    return current ? &record : nullptr;
  }

  void remove(Posting posting) {
    PostingRecord* record = find(posting);
    PENSTOCK_CHECK(record != nullptr);
    record->in_use = false;
    ++record->generation;
    free_.push_back((posting.value & 0xffffffff) - 1);
  }

  template <class Each>
  void for_each_unfinished(Each each) {
    for (PostingRecord& record : records_)
      if (record.in_use && !record.done) each(record);
  }

 private:
  std::deque<PostingRecord> records_;
  std::vector<std::size_t> free_;
  std::size_t last_ = 0;
};

}  // namespace penstock::collectives
