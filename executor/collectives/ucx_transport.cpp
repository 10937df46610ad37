#include "executor/collectives/ucx_transport.h"

#include <sched.h>

#include <algorithm>
#include <ctime>

#include "executor/collectives/ucx_transport_impl.h"

namespace penstock::collectives {
namespace {

/// How long a wait sleeps at most before it looks again by itself.
constexpr Nanoseconds kSleepMax = 1s;
/// How long a broken connection waits for a better witness. When a process dies, UCX may report the
/// connections of other, living ranks as broken too, and before the process is seen to have ended.
constexpr Nanoseconds kSuspicionPeriod = 500ms;
/// After how long a spinning wait begins to offer its core to others.
constexpr Nanoseconds kPoliteAfter = 5us;
/// Bounds the spinning where the injected clock stands still.
constexpr int kSpinPassesMax = 100'000;

}  // namespace

void on_end(PostingRecord& record, ucs_status_t status) {
  auto& transport = *static_cast<UcxTransportImpl*>(record.owner);
  record.request = nullptr;
  const bool own_end =
      status == UCS_OK || status == UCS_ERR_CANCELED || status == UCS_ERR_MESSAGE_TRUNCATED;
  // What a broken connection ends stays unfinished until it is known who broke it.
  if (!own_end) return transport.connection_lost(record.envelope.peer, ucs_status_string(status));
  record.done = true;
  transport.finished_some_ = true;
  if (status != UCS_OK) record.error = peer_failed(record.envelope.peer, ucs_status_string(status));
}

namespace {

void on_sent(void* request, ucs_status_t status, void* record) {
  on_end(*static_cast<PostingRecord*>(record), status);
  ucp_request_free(request);
}

void on_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                 void* user_data) {
  auto& record = *static_cast<PostingRecord*>(user_data);
  on_end(record, status);
  if (status == UCS_ERR_MESSAGE_TRUNCATED || (status == UCS_OK && info->length != record.bytes))
    record.error = size_mismatch(record.envelope, info->length, record.bytes);
  ucp_request_free(request);
}

}  // namespace

UcxTransportImpl::~UcxTransportImpl() {
  // A receive that nothing has matched is taken back; whatever else runs ends with the worker.
  postings_.for_each_unfinished([&](PostingRecord& record) {
    if (record.request != nullptr) ucp_request_cancel(worker_.get(), record.request);
  });
  for (Peer& peer : peers_)
    if (peer.goodbye != nullptr) ucp_request_cancel(worker_.get(), peer.goodbye);
}

Result<Posting> UcxTransportImpl::post_send(Envelope to, std::span<const std::byte> bytes) {
  PENSTOCK_TRY(check_envelope(*this, to, "send"));
  return send(to, Kind::user, bytes);
}

Result<Posting> UcxTransportImpl::post_receive(Envelope from, std::span<std::byte> into) {
  PENSTOCK_TRY(check_envelope(*this, from, "receive"));
  return receive(from, Kind::user, into);
}

Result<Posting> UcxTransportImpl::send(Envelope to, Kind kind, std::span<const std::byte> bytes) {
  if (failure_) return *failure_;
  if (peers_.empty())
    return Error{ErrorCode::failed_precondition, "send: this rank is not connected yet"};
  PostingRecord& record = postings_.add(this, to, bytes.size());
  const Posting posting = postings_.last();
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = on_sent;
  param.user_data = &record;
  void* request = ucp_tag_send_nbx(peers_[to.peer].endpoint, bytes.data(), bytes.size(),
                                   wire_tag(options_.rank, kind, to.tag), &param);
  if (request == nullptr) {
    on_end(record, UCS_OK);
  } else if (UCS_PTR_IS_ERR(request)) {
    on_end(record, UCS_PTR_STATUS(request));
  } else if (!record.done) {
    record.request = request;
  }
  return posting;
}

Result<Posting> UcxTransportImpl::receive(Envelope from, Kind kind, std::span<std::byte> into) {
  if (failure_) return *failure_;
  if (peers_.empty())
    return Error{ErrorCode::failed_precondition, "receive: this rank is not connected yet"};
  PostingRecord& record = postings_.add(this, from, into.size());
  const Posting posting = postings_.last();
  ucp_request_param_t param{};
  // The callback, and not the return value, tells how many bytes came.
  param.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.cb.recv = on_received;
  param.user_data = &record;
  void* request = ucp_tag_recv_nbx(worker_.get(), into.data(), into.size(),
                                   wire_tag(from.peer, kind, from.tag), ~0ull, &param);
  if (UCS_PTR_IS_ERR(request)) {
    postings_.remove(posting);
    return ucx_error("ucp_tag_recv_nbx", UCS_PTR_STATUS(request));
  }
  if (record.done) return posting;
  record.request = request;
  if (peers_[from.peer].ended) {
    fail(from.peer, "it ended before it sent what is received here");
    return *failure_;
  }
  return posting;
}

Result<bool> UcxTransportImpl::test(Posting posting) {
  PostingRecord* record = postings_.find(posting);
  PENSTOCK_CHECK(record != nullptr, "test of a posting that has ended");
  if (!record->done) {
    if (!failure_) return false;
    // The record stays with UCX, which is never called again before its worker goes.
    return *failure_;
  }
  std::optional<Error> error = std::move(record->error);
  postings_.remove(posting);
  if (error) return std::move(*error);
  return true;
}

void UcxTransportImpl::abandon(Posting posting) {
  PostingRecord* record = postings_.find(posting);
  if (record == nullptr) return;
  if (!record->done && !failure_ && record->request != nullptr) {
    ucp_request_cancel(worker_.get(), record->request);
    if (!record->done)
      fail(record->envelope.peer, "a message was given up while it was on its way");
  }
  if (record->done || record->request == nullptr) postings_.remove(posting);
}

bool UcxTransportImpl::progress_once() {
  return !failure_ && ucp_worker_progress(worker_.get()) != 0;
}

bool UcxTransportImpl::interrupted() {
  if (marked_.load(std::memory_order_relaxed)) read_marks();
  if (suspicion_ && clock_.now() >= suspicion_->decided_at)
    ended(peers_[suspicion_->rank], suspicion_->reason);
  const bool woken = woken_.load(std::memory_order_relaxed) && woken_.exchange(false);
  const bool finished = std::exchange(finished_some_, false);
  return finished || woken || failure_.has_value();
}

void UcxTransportImpl::idle(Instant deadline) {
  Instant now = clock_.now();
  Instant spin_until = now + options_.spin;
  for (int pass = 0; pass < kSpinPassesMax; ++pass) {
    const bool moved = progress_once();
    if (interrupted()) return;
    now = clock_.now();
    if (now >= deadline) return;
    if (moved)
      spin_until = now + options_.spin;
    else if (now >= spin_until)
      break;
    else if (now >= spin_until - options_.spin + kPoliteAfter)
      sched_yield();  // the peer may be waiting for this very core
  }
  while (true) {
    sleep(deadline);
    progress_once();
    if (interrupted() || clock_.now() >= deadline) return;
  }
}

void UcxTransportImpl::sleep(Instant deadline) {
  std::vector<pollfd> entries{{event_fd_, POLLIN, 0}, {wake_event_.get(), POLLIN, 0}};
  for (const Peer& peer : peers_) {
    // A negative descriptor is passed over, which keeps entry r + 2 that of rank r.
    entries.push_back({peer.ended ? -1 : peer.process.get(), POLLIN, 0});
  }
  const ucs_status_t armed = ucp_worker_arm(worker_.get());
  if (armed == UCS_ERR_BUSY) return;  // something has arrived meanwhile
  if (suspicion_) deadline = std::min(deadline, suspicion_->decided_at);
  sleeping_.store(true);
  if (!woken_.load() && !marked_.load()) {
    const auto span = std::clamp(deadline - clock_.now(), Nanoseconds(0), kSleepMax);
    const timespec limit{span.count() / 1'000'000'000, span.count() % 1'000'000'000};
    ppoll(entries.data(), entries.size(), &limit, nullptr);
  }
  sleeping_.store(false);
  if ((entries[1].revents & POLLIN) != 0) lower(wake_event_);
  look_after_processes(entries);
}

void UcxTransportImpl::look_after_processes(const std::vector<pollfd>& entries) {
  for (Peer& peer : peers_) {
    if ((entries[peer.rank + 2].revents & POLLIN) == 0) continue;
    while (progress_once()) {  // what it sent before its end still counts
    }
    ended(peer, "its process ended");
  }
}

void UcxTransportImpl::connection_lost(Rank rank, const std::string& reason) {
  if (suspicion_ || peers_[rank].ended) return;
  suspicion_ = {rank, "connection lost: " + reason, clock_.now() + kSuspicionPeriod};
}

void UcxTransportImpl::ended(Peer& peer, const std::string& reason) {
  suspicion_.reset();
  peer.ended = true;
  bool awaited = false;
  postings_.for_each_unfinished(
      [&](const PostingRecord& record) { awaited |= record.envelope.peer == peer.rank; });
  if (!peer.left)
    fail(peer.rank, reason);
  else if (awaited)
    fail(peer.rank, "it left before it sent or took everything");
}

void UcxTransportImpl::fail(Rank rank, const std::string& reason) {
  if (!failure_) failure_ = peer_failed(rank, reason);
}

void UcxTransportImpl::wake() {
  woken_.store(true);
  if (sleeping_.load()) raise(wake_event_);
}

void UcxTransportImpl::mark_failed(Rank rank, std::string reason) {
  {
    const std::lock_guard lock(marks_mutex_);
    marks_.emplace_back(rank, std::move(reason));
  }
  marked_.store(true);
  if (sleeping_.load()) raise(wake_event_);
}

void UcxTransportImpl::read_marks() {
  const std::lock_guard lock(marks_mutex_);
  marked_.store(false);
  for (const auto& [rank, reason] : std::exchange(marks_, {})) fail(rank, reason);
}

Result<std::unique_ptr<UcxTransport>> UcxTransport::open(UcxOptions options, const Clock& clock) {
  if (options.size == 0 || options.size > kRanksMax || options.rank >= options.size)
    return invalid("ucx transport: rank " + std::to_string(options.rank) + " of " +
                   std::to_string(options.size) + " ranks");
  const bool shared_memory = options.transports.find("posix") != std::string::npos ||
                             options.transports.find("sysv") != std::string::npos;
  std::string threshold = options.rendezvous_from;
  if (threshold.empty()) threshold = shared_memory ? "65536" : "inf";
  PENSTOCK_ASSIGN(ProcessIdentity process, this_process());
  PENSTOCK_ASSIGN(UcxContext context, UcxContext::open({{"TLS", options.transports},
                                                        {"NET_DEVICES", options.net_devices},
                                                        {"RNDV_THRESH", threshold},
                                                        {"KEEPALIVE_INTERVAL", "1s"}}));
  PENSTOCK_ASSIGN(UcxWorker worker, UcxWorker::open(context));
  PENSTOCK_ASSIGN(Fd wake_event, open_event());
  auto transport = std::make_unique<UcxTransportImpl>(std::move(options), clock, std::move(process),
                                                      std::move(context), std::move(worker),
                                                      std::move(wake_event));
  PENSTOCK_TRY(transport->publish());
  return std::unique_ptr<UcxTransport>(std::move(transport));
}

}  // namespace penstock::collectives
