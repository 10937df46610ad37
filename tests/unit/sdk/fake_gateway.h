#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/units.h"

namespace penstock::testing {

/// A gateway and a leader in one thread, on Unix sockets, which compute nothing: a step answers the
/// call's rows as its loss. It notes what it was asked and can be told to fail or to wait.
/// Threads: any
class FakeGateway final {
 public:
  struct Options {
    bool offer_direct = true;     // whether the lease names an address for the direct lane
    bool answer_direct = true;    // whether somebody listens there
    int hold_calls = 0;           // the first answers wait until so many calls have come
    std::uint64_t fail_call = 0;  // this call and all later ones fail
    std::uint32_t major = 1;      // of its protocol version
    Nanoseconds lease_time = std::chrono::hours(1);
  };
  explicit FakeGateway(Options options);
  ~FakeGateway();

  std::string url() const { return "unix:" + path_; }

  /// What has been seen so far.
  struct Seen {
    std::vector<std::uint64_t> numbers;  // of calls, in order of arrival
    std::vector<std::int64_t> rows;
    int most_waiting = 0;  // calls that were unanswered at once
    std::uint64_t uploaded_bytes = 0;
    int uploads_used = 0;
    std::string program, plan;
    int relayed = 0, direct = 0;  // leaders handed out
    int renewals = 0;
    bool released = false;
  };
  Seen seen() const;
  /// Ends the lease from the gateway's side.
  void end_lease();

  struct State;

 private:
  void main();

  std::string path_;
  std::shared_ptr<State> state_;  // shared with the servers on the loop
  std::thread thread_;
};

}  // namespace penstock::testing
