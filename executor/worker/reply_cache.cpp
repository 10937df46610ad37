#include "executor/worker/reply_cache.h"

#include <utility>

namespace penstock::executor {

std::uint64_t Reply::output_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& output : outputs) sum += output.bytes.size();
  for (const auto& run : runs) sum += run->output_bytes();
  return sum;
}

void ReplyCache::add(ReplyPtr reply) {
  PENSTOCK_CHECK(kept_.empty() || kept_.back()->number + 1 == reply->number);
  bytes_ += reply->output_bytes();
  kept_.push_back(std::move(reply));
  while (kept_.size() > 1 && (kept_.size() > count_max_ || bytes_ > bytes_max_)) {
    bytes_ -= kept_.front()->output_bytes();
    kept_.pop_front();
  }
}

Result<ReplyPtr> ReplyCache::find(std::uint64_t number) const {
  if (!kept_.empty() && number >= kept_.front()->number && number <= kept_.back()->number)
    return kept_[number - kept_.front()->number];
  std::string range = "none";
  if (!kept_.empty())
    range = std::to_string(kept_.front()->number) + " to " + std::to_string(kept_.back()->number);
  return Error{ErrorCode::failed_precondition,
               "call " + std::to_string(number) +
                   " was answered before and its answer is no longer kept (kept: " + range +
                   "); repeat only calls whose answer has not arrived"};
}

}  // namespace penstock::executor
