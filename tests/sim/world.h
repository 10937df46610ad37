#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "gateway/control_plane.h"

namespace penstock::gateway {

/// What a run must have seen, so that a simulator that went blind fails.
enum class Event {
  granted,
  queued,
  refused_impossible,
  refused_late,
  cancelled,
  ready,
  renewed,
  expired,
  released,
  client_lost,
  executor_lost_by_word,
  executor_lost_by_silence,
  executor_rejoined,
  start_failed,
  worker_failed,
  stop_repeated,
  freed,
  stale_report_refused,
  repeated_report,
  usage_counted,
  account_revoked,
  clock_jump,
  stale_command_refused,
  count,
};
std::string_view name(Event event);
using EventCounts = std::array<std::uint64_t, static_cast<std::size_t>(Event::count)>;

/// The outside of a control plane, played from a seed: clients and executors that mostly behave,
/// and faults between them. After every step it compares the plane with its own, simpler books.
///
/// Threads: one
class World {
 public:
  explicit World(std::uint64_t seed);

  /// One random command. Returns what is wrong now; empty if all is well.
  std::string step();
  const EventCounts& events() const { return events_; }
  /// Grows with every action; equal for equal runs.
  std::uint64_t digest() const { return digest_; }
  /// The latest actions, for the report of a failure.
  const std::vector<std::string>& transcript() const { return transcript_; }

 private:
  struct Client {
    LeaseId lease;
    Epoch epoch;
    bool ready = false;
    std::uint64_t next_report = 1;
    std::vector<ReportUsage> sent;  // for repeating
  };
  struct Request {
    AccountId account;
    LeaseTerms terms;
    Instant at;
    bool queued = false;
  };
  struct Host {
    std::string name;
    std::string fingerprint;
    ExecutorId id;  // none while away
    std::vector<DeviceSpec> devices;
    std::set<LeaseId> to_start;
    std::map<LeaseId, Epoch> to_stop;
    bool silent = false;
  };

  /// What the reports of one lease should have led to.
  struct Books {
    AccountId account;
    std::set<std::uint64_t> counted;
    Usage usage;
    std::int64_t charged = 0;
  };

  void apply(const Command& command);
  void note(const Actions& actions, const Command& command);
  void on(const Persist& action);
  void on(const ExecutorJoined& action);
  void on(const DropExecutor& action);
  void on(const RequestGranted& action);
  void on(const RequestQueued& action);
  void on(const RequestRefused& action);
  void on(const StartOnExecutor& action);
  void on(const StopOnExecutor& action);
  void on(const LeaseReady& action);
  void on(const LeaseRenewed& action);
  void on(const LeaseEnded& action);
  void on(const LeaseClosed& action);
  void on(const UsageCounted& action);
  void on(const AccountCreated&) {}
  void on(const CredentialCreated&) {}
  void on(const CredentialRevoked&) {}
  /// The executor is gone: nothing that it held counts any more.
  void forget(ExecutorId executor);
  void count(const ReportUsage& report);
  Host* find_host(ExecutorId executor);
  void see(Event event) { ++events_[static_cast<std::size_t>(event)]; }

  void act();
  void act_client();
  void act_host();
  void act_stale();
  void request();
  void use(Client& client);
  void host_answers(Host& host);
  void join(Host& host);
  void pass_time();
  Host* pick_host(bool connected);
  Client* pick_client();
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  void fail(std::string what);
  void check();
  void check_devices();
  void check_requests();
  void check_money();
  std::int64_t owed(const Books& books) const;

  SeededRandom random_;
  Instant now_;
  ControlPlane plane_;
  EventCounts events_{};
  std::uint64_t digest_ = 1469598103934665603ULL;
  std::string failure_;
  std::vector<std::string> transcript_;

  std::vector<AccountId> accounts_;
  std::vector<Host> hosts_;
  std::map<RequestId, Request> requests_;
  std::map<LeaseId, Client> clients_;
  std::map<DeviceId, LeaseId> holders_;  // from grant to confirmation
  std::map<LeaseId, std::set<ExecutorId>> unconfirmed_;
  std::vector<Client> gone_;  // ended leases, for stale commands
  std::map<AccountId, std::int64_t> ledger_;
  std::map<LeaseId, Books> books_;
  std::vector<RequestId> arrival_;  // of waiting requests, per order of queueing
  KeyId token_;
  Epoch last_epoch_;
  std::uint64_t next_request_ = 1;
  std::uint64_t last_ledger_number_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace penstock::gateway
