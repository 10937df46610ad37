#include <algorithm>

#include "executor/collectives/ucx_transport_impl.h"

// The beginning and the end of a mesh: endpoints, hellos, warm messages, goodbyes.

namespace penstock::collectives {
namespace {

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

}  // namespace

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

}  // namespace penstock::collectives
