#pragma once

#include <poll.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/collectives/peer_address.h"
#include "executor/collectives/posting_table.h"
#include "executor/collectives/process_watch.h"
#include "executor/collectives/ucx_handle.h"
#include "executor/collectives/ucx_transport.h"

namespace penstock::collectives {

// UCX matches by tag alone, so a wire tag carries the sender: 16 bits of rank, 8 of kind, 40 of
// tag.
enum class Kind : std::uint64_t { user = 0, hello = 1, warm = 2, goodbye = 3 };
constexpr Rank kRanksMax = 1 << 16;
constexpr std::uint64_t wire_tag(Rank sender, Kind kind, std::uint64_t tag) {
  return (std::uint64_t{sender} << 48) | (static_cast<std::uint64_t>(kind) << kTagBits) | tag;
}

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

}  // namespace penstock::collectives
