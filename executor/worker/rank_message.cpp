#include "executor/worker/rank_message.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace penstock::executor {
namespace {

constexpr std::size_t kSizeField = 8;

std::span<std::byte> writable(std::string& text, std::size_t from) {
  return std::as_writable_bytes(std::span(text.data() + from, text.size() - from));
}

}  // namespace

Status MessageSender::post(Sending& sending, std::span<const std::byte> bytes) {
  PENSTOCK_ASSIGN(const collectives::Posting posting, transport_.post_send(to_, bytes));
  sending.parts.emplace_back(transport_, posting);
  return {};
}

Status MessageSender::send(OutgoingMessage message) {
  auto sending = std::make_unique<Sending>();
  sending->message = std::move(message);
  const std::string& body = sending->message.body;
  sending->head.reset(new std::byte[MessageReceiver::kHeadBytes]());
  const std::uint64_t size = body.size();
  const std::size_t first = std::min(body.size(), MessageReceiver::kHeadBytes - kSizeField);
  std::memcpy(sending->head.get(), &size, kSizeField);
  std::memcpy(sending->head.get() + kSizeField, body.data(), first);
  PENSTOCK_TRY(post(*sending, {sending->head.get(), MessageReceiver::kHeadBytes}));
  if (first < body.size())
    PENSTOCK_TRY(post(*sending, std::as_bytes(std::span(body).subspan(first))));
  for (const auto& blob : sending->message.blobs)
    if (!blob.empty()) PENSTOCK_TRY(post(*sending, blob));
  sending_.push_back(std::move(sending));
  return {};
}

Result<bool> MessageSender::poll() {
  bool moved = false;
  while (!sending_.empty()) {
    Sending& oldest = *sending_.front();
    for (auto& part : oldest.parts) {
      PENSTOCK_ASSIGN(const bool finished, part.finished());
      if (!finished) return moved;
    }
    const auto sent = std::move(oldest.message.sent);
    sending_.pop_front();
    if (sent) sent();
    moved = true;
  }
  return moved;
}

MessageReceiver::MessageReceiver(collectives::Transport& transport,
                                 std::shared_ptr<BufferPool> pool, const Clock& clock,
                                 Options options)
    : transport_(transport),
      pool_(std::move(pool)),
      clock_(clock),
      options_(std::move(options)),
      head_(new std::byte[kHeadBytes]) {}

Status MessageReceiver::post(std::span<std::byte> into) {
  PENSTOCK_ASSIGN(const collectives::Posting posting, transport_.post_receive(options_.from, into));
  parts_.emplace_back(transport_, posting);
  return {};
}

Result<bool> MessageReceiver::parts_arrived() {
  for (auto& part : parts_) {
    PENSTOCK_ASSIGN(const bool finished, part.finished());
    if (!finished) return false;
  }
  parts_.clear();
  return true;
}

Status MessageReceiver::head_arrived() {
  began_ = clock_.now();
  std::uint64_t size = 0;
  std::memcpy(&size, head_.get(), kSizeField);
  if (size > options_.body_bytes_max)
    return Error{ErrorCode::data_loss, "a message from rank " + std::to_string(options_.from.peer) +
                                           " claims a body of " + std::to_string(size) +
                                           " bytes; at most " +
                                           std::to_string(options_.body_bytes_max) + " are taken"};
  message_.body.resize(size);
  const std::size_t first = std::min<std::size_t>(size, kHeadBytes - kSizeField);
  std::memcpy(message_.body.data(), head_.get() + kSizeField, first);
  if (first == size) return body_arrived();
  awaiting_ = Awaiting::rest;
  return post(writable(message_.body, first));
}

Status MessageReceiver::body_arrived() {
  PENSTOCK_ASSIGN(const std::vector<std::uint64_t> sizes, options_.sizes(message_.body));
  awaiting_ = Awaiting::blobs;
  for (const std::uint64_t size : sizes) {
    message_.blobs.push_back(pool_->take(size));
    if (size > 0) PENSTOCK_TRY(post(message_.blobs.back().bytes()));
  }
  return {};
}

void MessageReceiver::deliver() {
  message_.transfer = clock_.now() - began_;
  awaiting_ = Awaiting::nothing;
  options_.deliver(std::exchange(message_, {}));
}

Result<bool> MessageReceiver::poll() {
  bool moved = false;
  for (;;) {
    if (awaiting_ == Awaiting::nothing) {
      awaiting_ = Awaiting::head;
      PENSTOCK_TRY(post({head_.get(), kHeadBytes}));
    }
    PENSTOCK_ASSIGN(const bool arrived, parts_arrived());
    if (!arrived) return moved;
    moved = true;
    switch (awaiting_) {
      case Awaiting::head:
        PENSTOCK_TRY(head_arrived());
        break;
      case Awaiting::rest:
        PENSTOCK_TRY(body_arrived());
        break;
      case Awaiting::blobs:
        deliver();
        break;
      case Awaiting::nothing:
        break;
    }
  }
}

void MessageReceiver::drop() {
  parts_.clear();
  message_ = {};
}

}  // namespace penstock::executor
