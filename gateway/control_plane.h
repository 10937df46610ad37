#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gateway/lease/action.h"
#include "gateway/lease/command.h"
#include "gateway/lease/lease.h"
#include "gateway/lease/pool.h"
#include "gateway/meter/price_table.h"
#include "gateway/meter/usage_meter.h"
#include "gateway/records.h"
#include "gateway/schedule/deadlines.h"
#include "gateway/schedule/request_queue.h"

namespace penstock::gateway {

struct ControlOptions {
  Limits limits;
  Nanoseconds heartbeat_timeout = 10s;  // an executor silent for this long is lost
  Nanoseconds start_timeout = 30s;      // from grant to LeaseStarted of every executor
  Nanoseconds stop_retry_period = 10s;  // StopOnExecutor is repeated until confirmed
};

/// Where a waiting request stands.
struct QueuePlace {
  std::uint32_t position = 0;  // 1 is next
  std::string reason;
};

/// The gateway's core: a pure state machine. No clock, socket, file or thread inside; the same
/// commands at the same instants give the same actions.
///
/// The shell makes one from the stored state, performs `recover`'s actions and waits until its
/// records are durable, then feeds commands and performs the actions of each in order. It calls
/// apply(Tick{}) at next_deadline(). Instants are nanoseconds since 1970; one that goes back is
/// taken as no time having passed.
/// Threads: one
class ControlPlane {
 public:
  ControlPlane(ControlOptions options, PriceTable prices, StoredState stored = {});

  /// Ends what an earlier run left open and reserves numbers. Call once, first.
  Actions recover(Instant now);
  /// Lets time pass up to `now`, then does what `command` says.
  Actions apply(const Command& command, Instant now);
  /// When something will happen by itself; none if nothing waits.
  std::optional<Instant> next_deadline() const { return deadlines_.next(); }

  const AccountRecord* account(AccountId id) const;
  const AccountRecord* find_account(std::string_view name) const;
  const CredentialRecord* credential(KeyId id) const;
  const std::map<KeyId, CredentialRecord>& credentials() const { return credentials_; }
  const std::map<AccountId, AccountRecord>& accounts() const { return accounts_; }
  const Pool& pool() const { return pool_; }
  const RequestQueue& queue() const { return queue_; }
  const UsageMeter& meter() const { return meter_; }
  /// A lease that has not closed yet; null otherwise.
  const Lease* lease(LeaseId id) const;
  std::vector<LeaseId> leases() const;
  std::optional<QueuePlace> queue_place(RequestId request) const;

 private:
  struct LiveLease {
    Lease lease;
    std::set<ExecutorId> to_start;  // have not said LeaseStarted
    std::set<ExecutorId> to_free;   // stopping: have not said DevicesFreed
    bool client_lost = false;
  };
  /// Numbers in [next, until) may be given out: until is on disk.
  struct Counter {
    std::uint64_t next = 1;
    std::uint64_t until = 1;
    std::uint64_t take();
  };
  /// One call of apply.
  struct Step {
    Instant now;
    Actions out;
    bool pool_changed = false;  // schedule() has something to look at
    void act(Action action) { out.list.push_back(std::move(action)); }
    void persist(Record record) { out.list.push_back(Persist{std::move(record)}); }
  };

  void run_due(Step& step);
  void on_due(Step& step, DeadlineKey key);
  void reserve_numbers(Step& step);

  Status on(Step& step, const CreateAccount& command);
  Status on(Step& step, const RevokeAccount& command);
  Status on(Step& step, const CreateCredential& command);
  Status on(Step& step, const RevokeCredential& command);
  void revoke(Step& step, CredentialRecord& credential);

  Status on(Step& step, const RegisterExecutor& command);
  Status on(Step& step, const Heartbeat& command);
  Status on(Step& step, const ExecutorLost& command);
  Status redeem(Step& step, KeyId join_token, const std::string& fingerprint);
  void lose_executor(Step& step, ExecutorId executor, const Error& why);

  Status on(Step& step, const RequestLease& command);
  Status on(Step& step, const CancelRequest& command);
  Status admit(const RequestLease& command) const;
  Status possible(const LeaseTerms& terms) const;
  std::string why_waiting(const WaitingRequest& request) const;
  void refuse_impossible(Step& step);
  void refuse_request(Step& step, RequestId request, Error error);
  void schedule(Step& step);
  void schedule_if_changed(Step& step);
  void grant(Step& step, const WaitingRequest& request, LeaseId id, std::vector<DeviceId> devices);

  Status on(Step& step, const RenewLease& command);
  Status on(Step& step, const ReleaseLease& command);
  Status on(Step& step, const ClientLost& command);
  Status on(Step& step, const LeaseStarted& command);
  Status on(Step& step, const LeaseFailed& command);
  Status on(Step& step, const DevicesFreed& command);
  Status on(Step& step, const ReportUsage& command);
  Status on(Step& step, const Tick& command);
  Result<LiveLease*> find_lease(LeaseId lease, Epoch epoch);
  Result<LiveLease*> find_running(LeaseId lease, Epoch epoch);
  void end_lease(Step& step, LiveLease& live, EndReason reason, Error error);
  void freed(Step& step, LiveLease& live, ExecutorId executor);

  const ControlOptions options_;
  const PriceTable prices_;
  Instant last_now_;
  std::uint64_t next_account_ = 1;
  std::uint64_t next_key_ = 1;
  Counter lease_counter_;
  Counter epoch_counter_;
  Counter executor_counter_;
  std::map<AccountId, AccountRecord> accounts_;
  std::map<KeyId, CredentialRecord> credentials_;
  std::map<LeaseId, LiveLease> leases_;
  std::map<AccountId, std::uint32_t> leases_per_account_;
  std::vector<LeaseRecord> left_open_;  // by an earlier run; recover() ends them
  Pool pool_;
  RequestQueue queue_;
  Deadlines deadlines_;
  UsageMeter meter_;
};

}  // namespace penstock::gateway
