#include "executor/collectives/ucx_transport.h"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "executor/collectives/peer_address.h"
#include "executor/collectives/posting_table.h"
#include "executor/collectives/process_watch.h"
#include "executor/collectives/ucx_handle.h"

namespace penstock::collectives {
namespace {

// UCX matches by tag alone, so a wire tag carries the sender: 16 bits of rank, 8 of kind, 40 of
// tag.
enum class Kind : std::uint64_t { user = 0, hello = 1, warm = 2, goodbye = 3 };
constexpr Rank kRanksMax = 1 << 16;
constexpr std::uint64_t wire_tag(Rank sender, Kind kind, std::uint64_t tag) {
  return (std::uint64_t{sender} << 48) | (static_cast<std::uint64_t>(kind) << kTagBits) | tag;
}

/// How long a wait sleeps at most before it looks again by itself.
constexpr Nanoseconds kSleepMax = 1s;
/// How long a broken connection waits for a better witness. When a process dies, UCX may report the
/// connections of other, living ranks as broken too, and before the process is seen to have ended.
constexpr Nanoseconds kSuspicionPeriod = 500ms;
/// After how long a spinning wait begins to offer its core to others.
constexpr Nanoseconds kPoliteAfter = 5us;
/// Bounds the spinning where the injected clock stands still.
constexpr int kSpinPassesMax = 100'000;

class UcxTransportImpl;

/// Another rank, as seen from here.
struct Peer {
  UcxTransportImpl* owner = nullptr;
  Rank rank = 0;
  ucp_ep_h endpoint = nullptr;
  void* goodbye = nullptr;  // the receive of its last word, while that runs
  Fd process;               // readable when it has ended; none on another host
  bool left = false;        // it said goodbye
  bool ended = false;       // its process or connection is gone
};

class UcxTransportImpl final : public UcxTransport {
 public:
  UcxTransportImpl(UcxOptions options, const Clock& clock, ProcessIdentity process,
                   UcxContext context, UcxWorker worker, Fd wake_event)
      : options_(std::move(options)),
        clock_(clock),
        process_(std::move(process)),
        wake_event_(std::move(wake_event)),
        context_(std::move(context)),
        worker_(std::move(worker)) {}
  ~UcxTransportImpl() override;

  Status publish();
  const std::string& address() const override { return address_; }
  Status connect(std::span<const std::string> addresses, Instant deadline) override;
  Status close(Instant deadline) override;

  Rank rank() const override { return options_.rank; }
  Rank size() const override { return options_.size; }
  Result<Posting> post_send(Envelope to, std::span<const std::byte> bytes) override;
  Result<Posting> post_receive(Envelope from, std::span<std::byte> into) override;
  Result<bool> test(Posting posting) override;
  void abandon(Posting posting) override;
  void idle(Instant deadline) override;
  void wake() override;
  void mark_failed(Rank rank, std::string reason) override;
  const std::optional<Error>& failure() const override { return failure_; }

  void fail(Rank rank, const std::string& reason);
  void connection_lost(Rank rank, const std::string& reason);

 private:
  Status open_endpoints(std::span<const std::string> addresses);
  Status exchange_hellos(Instant deadline);
  Status exchange_warm_messages(Instant deadline);
  Status expect_goodbyes();
  Status wait_all(std::vector<Posting> postings, const char* what, Instant deadline);
  Result<Posting> send(Envelope to, Kind kind, std::span<const std::byte> bytes);
  Result<Posting> receive(Envelope from, Kind kind, std::span<std::byte> into);
  bool progress_once();
  bool interrupted();
  void sleep(Instant deadline);
  void read_marks();
  void look_after_processes(const std::vector<pollfd>& entries);
  void ended(Peer& peer, const std::string& reason);

  const UcxOptions options_;
  const Clock& clock_;
  const ProcessIdentity process_;
  std::string address_;
  /// A broken connection, not yet blamed on anyone.
  struct Suspicion {
    Rank rank = 0;
    std::string reason;
    Instant decided_at;
  };

  std::optional<Error> failure_;
  std::optional<Suspicion> suspicion_;
  bool finished_some_ = false;

  std::atomic<bool> woken_ = false;
  std::atomic<bool> sleeping_ = false;
  std::atomic<bool> marked_ = false;
  std::mutex marks_mutex_;
  std::vector<std::pair<Rank, std::string>> marks_;

  std::deque<Peer> peers_;  // by rank; this rank's own entry is unused
  int event_fd_ = -1;
  Fd wake_event_;
  PostingTable postings_;  // outlives the worker, whose end completes what is left
  UcxContext context_;
  UcxWorker worker_;

  friend void on_end(PostingRecord& record, ucs_status_t status);
};

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

void on_goodbye(void* request, ucs_status_t status, const ucp_tag_recv_info_t*, void* user_data) {
  auto& peer = *static_cast<Peer*>(user_data);
  if (status == UCS_OK) peer.left = true;
  peer.goodbye = nullptr;
  ucp_request_free(request);
}

void on_endpoint_error(void* user_data, ucp_ep_h, ucs_status_t status) {
  auto& peer = *static_cast<Peer*>(user_data);
  peer.owner->connection_lost(peer.rank, ucs_status_string(status));
}

UcxTransportImpl::~UcxTransportImpl() {
  // A receive that nothing has matched is taken back; whatever else runs ends with the worker.
  postings_.for_each_unfinished([&](PostingRecord& record) {
    if (record.request != nullptr) ucp_request_cancel(worker_.get(), record.request);
  });
  for (Peer& peer : peers_)
    if (peer.goodbye != nullptr) ucp_request_cancel(worker_.get(), peer.goodbye);
}

Status UcxTransportImpl::publish() {
  PENSTOCK_ASSIGN(event_fd_, worker_.event_fd());
  PENSTOCK_ASSIGN(std::string transport, worker_.address());
  address_ = encode({process_, std::move(transport)});
  return {};
}

Status UcxTransportImpl::open_endpoints(std::span<const std::string> addresses) {
  const bool shared_memory = options_.transports.find("posix") != std::string::npos ||
                             options_.transports.find("sysv") != std::string::npos;
  for (Rank r = 0; r < options_.size; ++r) {
    Peer& peer = peers_.emplace_back();
    peer.owner = this;
    peer.rank = r;
    if (r == options_.rank) continue;
    auto decoded = decode_peer_address(addresses[r]);
    if (!decoded.ok()) return std::move(decoded).error().in("connect to rank " + std::to_string(r));
    const bool same_host = decoded->process.boot_id == process_.boot_id;
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                        UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = reinterpret_cast<const ucp_address_t*>(decoded->transport.data());
    // UCX gives up shared memory and single copies for its own failure detection. Inside a host the
    // process's descriptor is the better witness.
    params.err_mode =
        same_host && shared_memory ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
    params.err_handler = {on_endpoint_error, &peer};
    const ucs_status_t status = ucp_ep_create(worker_.get(), &params, &peer.endpoint);
    if (status != UCS_OK)
      return ucx_error("ucp_ep_create", status).in("connect to rank " + std::to_string(r));
    if (!same_host || decoded->process.pid_namespace != process_.pid_namespace) continue;
    auto watch = watch_process(decoded->process.pid);
    if (!watch.ok()) return peer_failed(r, watch.error().message);
    peer.process = std::move(*watch);
  }
  return {};
}

Status UcxTransportImpl::connect(std::span<const std::string> addresses, Instant deadline) {
  if (addresses.size() != options_.size)
    return invalid("connect: " + std::to_string(addresses.size()) + " addresses for " +
                   std::to_string(options_.size) + " ranks");
  if (!peers_.empty())
    return Error{ErrorCode::failed_precondition, "connect: this rank is connected already"};
  PENSTOCK_TRY(open_endpoints(addresses));
  PENSTOCK_TRY(exchange_hellos(deadline));
  PENSTOCK_TRY(exchange_warm_messages(deadline));
  return expect_goodbyes();
}

Status UcxTransportImpl::exchange_hellos(Instant deadline) {
  Hello mine;
  mine.lease = options_.lease;
  mine.epoch = options_.epoch;
  mine.rank = options_.rank;
  mine.size = options_.size;
  std::vector<Hello> theirs(options_.size);
  std::vector<Posting> postings;
  for (const Peer& peer : peers_) {
    if (peer.rank == options_.rank) continue;
    const auto into = std::as_writable_bytes(std::span<Hello>(&theirs[peer.rank], 1));
    PENSTOCK_ASSIGN(const Posting received, receive({peer.rank, 0}, Kind::hello, into));
    postings.push_back(received);
    const auto bytes = std::as_bytes(std::span<const Hello>(&mine, 1));
    PENSTOCK_ASSIGN(const Posting sent, send({peer.rank, 0}, Kind::hello, bytes));
    postings.push_back(sent);
  }
  PENSTOCK_TRY(wait_all(std::move(postings), "connect", deadline));
  for (const Peer& peer : peers_)
    if (peer.rank != options_.rank) PENSTOCK_TRY(check_hello(mine, theirs[peer.rank], peer.rank));
  return {};
}

Status UcxTransportImpl::exchange_warm_messages(Instant deadline) {
  const std::vector<std::byte> out(options_.warm_bytes);
  std::vector<std::byte> in(options_.warm_bytes);  // contents do not matter: shared by all
  std::vector<Posting> postings;
  for (const Peer& peer : peers_) {
    if (peer.rank == options_.rank) continue;
    PENSTOCK_ASSIGN(const Posting received, receive({peer.rank, 0}, Kind::warm, in));
    postings.push_back(received);
    PENSTOCK_ASSIGN(const Posting sent, send({peer.rank, 0}, Kind::warm, out));
    postings.push_back(sent);
  }
  return wait_all(std::move(postings), "connect (warming)", deadline);
}

Status UcxTransportImpl::expect_goodbyes() {
  for (Peer& peer : peers_) {
    if (peer.rank == options_.rank) continue;
    ucp_request_param_t param{};
    param.op_attr_mask =
        UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    param.cb.recv = on_goodbye;
    param.user_data = &peer;
    void* request = ucp_tag_recv_nbx(worker_.get(), nullptr, 0,
                                     wire_tag(peer.rank, Kind::goodbye, 0), ~0ull, &param);
    if (UCS_PTR_IS_ERR(request)) return ucx_error("ucp_tag_recv_nbx", UCS_PTR_STATUS(request));
    if (!peer.left) peer.goodbye = request;
  }
  return {};
}

Status UcxTransportImpl::close(Instant deadline) {
  if (failure_) return *failure_;
  std::vector<Posting> postings;
  for (const Peer& peer : peers_) {
    if (peer.rank == options_.rank || peer.ended) continue;
    PENSTOCK_ASSIGN(const Posting sent, send({peer.rank, 0}, Kind::goodbye, {}));
    postings.push_back(sent);
  }
  PENSTOCK_TRY(wait_all(std::move(postings), "close", deadline));
  // A send is finished when its buffer is free; a flush, when the peer can have the bytes.
  ucp_request_param_t param{};
  void* request = ucp_worker_flush_nbx(worker_.get(), &param);
  if (request == nullptr) return {};
  if (UCS_PTR_IS_ERR(request)) return ucx_error("ucp_worker_flush_nbx", UCS_PTR_STATUS(request));
  while (ucp_request_check_status(request) == UCS_INPROGRESS && clock_.now() < deadline)
    if (!progress_once()) sleep(std::min(deadline, clock_.now() + 1ms));
  const bool flushed = ucp_request_check_status(request) != UCS_INPROGRESS;
  ucp_request_free(request);
  if (flushed) return {};
  return Error{ErrorCode::deadline_exceeded, "close: the deadline passed before all was sent"};
}

Status UcxTransportImpl::wait_all(std::vector<Posting> postings, const char* what,
                                  Instant deadline) {
  while (true) {
    for (std::size_t i = 0; i < postings.size();) {
      auto ended = test(postings[i]);
      if (ended.ok() && !*ended) {
        ++i;
        continue;
      }
      postings.erase(postings.begin() + static_cast<std::ptrdiff_t>(i));
      if (ended.ok()) continue;
      for (const Posting posting : postings) abandon(posting);
      return std::move(ended).error().in(what);
    }
    if (postings.empty()) return {};
    if (clock_.now() >= deadline) break;
    idle(deadline);
  }
  std::vector<Rank> missing;
  for (const Posting posting : postings) missing.push_back(postings_.find(posting)->envelope.peer);
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  std::string text = std::string(what) + ": the deadline passed while waiting for rank";
  for (const Rank rank : missing) text += " " + std::to_string(rank);
  for (const Posting posting : postings) abandon(posting);
  return Error{ErrorCode::deadline_exceeded, text};
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

}  // namespace

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
