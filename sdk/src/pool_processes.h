#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace penstock::detail {

class LoopThread;

/// What a gateway says about itself once it serves.
struct GatewayReady {
  std::string unix_path;
  std::string address;      // "host:port", or empty
  std::string fingerprint;  // of its certificate
  std::string key;          // an administrator's key, or empty
  std::string token;        // with which executors join
};

/// Errors: data_loss naming the missing field
Result<GatewayReady> parse_gateway_ready(std::string_view json_line);

struct PoolOptions {
  std::string binaries;                 // folder of the programs
  std::string data;                     // the gateway's folder
  std::string unix_path;                // where it listens
  std::string listen;                   // "host:port"; empty: on the Unix socket alone
  std::string http;                     // "host:port" of /healthz; empty: none
  std::string lane_host = "127.0.0.1";  // of the direct lanes
  std::string log_path;                 // of both programs; empty: our standard error
  bool print_key = false;               // ask for the administrator's key at every start
  unsigned devices = 2;
  unsigned threads = 1;
  std::uint64_t memory_bytes = 2 * kGiB;
  std::string trace;           // file for begin and end of every instruction; empty: none
  Nanoseconds deadline = 60s;  // of each start
};

/// A gateway and an agent with idle workers, as child processes. They end with this object.
/// Threads: any but the loop's
class PoolProcesses final {
 public:
  /// Errors: not_found if a program is missing; unavailable with the end of the log if one ends
  /// early; deadline_exceeded
  static Result<std::unique_ptr<PoolProcesses>> start(LoopThread& thread,
                                                      const PoolOptions& options);
  PoolProcesses(const PoolProcesses&) = delete;
  PoolProcesses& operator=(const PoolProcesses&) = delete;
  /// Asks both to stop, and kills what is still there after 5 s.
  ~PoolProcesses();

  const GatewayReady& gateway() const { return ready_; }
  /// Returns when one of them has ended, with which and how; or after `deadline`, with
  /// deadline_exceeded.
  Result<std::string> wait_for_end(Nanoseconds deadline);

 private:
  struct Children;
  explicit PoolProcesses(LoopThread& thread);
  Status start_children(const PoolOptions& options);

  LoopThread& thread_;
  std::unique_ptr<Children> children_;  // the loop's
  GatewayReady ready_;
};

/// The folder that holds penstock-gateway, penstock-agent and penstock-worker: `chosen` if given,
/// else PENSTOCK_BIN_DIR, the running program's, `../bin` beside it, or the install prefix.
/// Errors: not_found naming where it looked
Result<std::string> find_binaries(const std::string& chosen);

}  // namespace penstock::detail
