#include "executor/collectives/stream.h"

#include <algorithm>

namespace penstock::collectives {
namespace {

/// A wire tag: the operation's tag, the stream's lane, and whether it carries data or credits.
std::uint64_t data_tag(const StreamShape& shape) {
  return (std::uint64_t{shape.tag} << 8) | (std::uint64_t{shape.lane} << 1);
}
std::uint64_t credit_tag(const StreamShape& shape) {
  return data_tag(shape) | 1;
}

/// Credits are granted several at a time: one small message per half window.
std::uint64_t grant_size(const Context& context) {
  return std::max<std::uint64_t>(1, context.window / 2);
}

/// How many grants a stream needs in all. Both sides count the same, so none is left over to be
/// taken for one of the next operation.
std::uint64_t grants_needed(const Context& context, const StreamShape& shape) {
  const std::uint64_t size = grant_size(context);
  if (shape.end == StreamEnd::acknowledged) return (shape.chunks + size - 1) / size;
  if (shape.chunks <= context.window) return 0;
  return (shape.chunks - context.window + size - 1) / size;
}

std::string place(const StreamShape& shape, std::uint64_t chunk, const char* direction) {
  return "chunk " + std::to_string(chunk) + " of " + std::to_string(shape.chunks) + " " +
         direction + " rank " + std::to_string(shape.peer);
}

}  // namespace

OutStream::OutStream(const Context& context, StreamShape shape)
    : context_(context),
      shape_(shape),
      allowed_(context.window),
      grants_due_(grants_needed(context, shape)) {}

Status OutStream::expect_credit() {
  PENSTOCK_ASSIGN(const Posting posting,
                  context_.transport.post_receive({shape_.peer, credit_tag(shape_)}, {}));
  credit_.emplace(context_.transport, posting);
  return {};
}

Status OutStream::send(std::span<const std::byte> chunk) {
  PENSTOCK_CHECK(can_send());
  PENSTOCK_ASSIGN(const Posting posting,
                  context_.transport.post_send({shape_.peer, data_tag(shape_)}, chunk));
  sends_.emplace_back(context_.transport, posting);
  ++sent_;
  return {};
}

Result<bool> OutStream::poll() {
  bool changed = false;
  while (!sends_.empty()) {
    PENSTOCK_ASSIGN(const bool ended, sends_.front().finished());
    if (!ended) break;
    sends_.pop_front();
    ++completed_;
    changed = true;
  }
  while (grants_due_ > 0) {
    if (!credit_) PENSTOCK_TRY(expect_credit());
    PENSTOCK_ASSIGN(const bool granted, credit_->finished());
    if (!granted) break;
    credit_.reset();
    --grants_due_;
    allowed_ += grant_size(context_);
    changed = true;
  }
  return changed;
}

bool OutStream::finished() const {
  return completed_ == shape_.chunks && grants_due_ == 0;
}

std::string OutStream::waiting_for() const {
  if (completed_ < sent_) return place(shape_, completed_ + 1, "to be taken by");
  return "credit for " + place(shape_, std::min(sent_ + 1, shape_.chunks), "from");
}

InStream::InStream(const Context& context, StreamShape shape)
    : context_(context), shape_(shape), window_(context.window) {}

Status InStream::post(std::span<std::byte> into) {
  PENSTOCK_CHECK(can_post());
  PENSTOCK_ASSIGN(const Posting posting,
                  context_.transport.post_receive({shape_.peer, data_tag(shape_)}, into));
  incoming_.push_back({Posted(context_.transport, posting), into.size()});
  ++posted_;
  return {};
}

Result<bool> InStream::poll() {
  bool changed = false;
  while (!incoming_.empty()) {
    PENSTOCK_ASSIGN(const bool ended, incoming_.front().posted.finished());
    if (!ended) break;
    if (context_.observer)
      context_.observer({shape_.peer, shape_.tag, incoming_.front().bytes, context_.clock.now()});
    incoming_.pop_front();
    ++arrived_;
    changed = true;
  }
  while (!credits_.empty()) {
    PENSTOCK_ASSIGN(const bool ended, credits_.front().finished());
    if (!ended) break;
    credits_.pop_front();
    changed = true;
  }
  return changed;
}

Status InStream::free_one() {
  PENSTOCK_CHECK(freed_ < arrived_);
  ++freed_;
  const bool whole_grant = freed_ % grant_size(context_) == 0 || freed_ == shape_.chunks;
  if (!whole_grant || granted_ == grants_needed(context_, shape_)) return {};
  PENSTOCK_ASSIGN(const Posting posting,
                  context_.transport.post_send({shape_.peer, credit_tag(shape_)}, {}));
  credits_.emplace_back(context_.transport, posting);
  ++granted_;
  return {};
}

bool InStream::finished() const {
  return freed_ == shape_.chunks && credits_.empty();
}

std::string InStream::waiting_for() const {
  if (freed_ == shape_.chunks) return place(shape_, freed_, "to be granted to");
  return place(shape_, arrived_ + 1, "from");
}

}  // namespace penstock::collectives
