#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/net/event_loop.h"
#include "schema/wire/lane.capnp.h"
#include "sdk/src/lane.h"

namespace penstock::detail {

/// The loop's part of a lane: sends numbered calls in order, streams large inputs ahead of them,
/// and reads the answers.
/// Threads: the loop's
class LaneWire final : private kj::TaskSet::ErrorHandler {
 public:
  /// Gets the reply and the time since the call was sent.
  using Done = std::function<void(Result<LaneReply>, Nanoseconds)>;

  explicit LaneWire(wire::Executable::Client executable);
  explicit LaneWire(wire::Trainer::Client trainer);
  LaneWire(const LaneWire&) = delete;
  LaneWire& operator=(const LaneWire&) = delete;
  ~LaneWire();

  void submit(std::uint64_t number, LaneCall call, Done done);
  kj::Promise<std::vector<VariableInfo>> variables();
  /// Ends every call, also those to come, with `error`; the first error counts.
  void fail(const Error& error);

 private:
  struct Outgoing;

  void upload(Outgoing& call, const std::string& name, const Tensor& tensor);
  void upload_ended(std::uint64_t number);
  void pump();
  void send(std::unique_ptr<Outgoing> call);
  template <class Request>
  void send_batch(std::unique_ptr<Outgoing> call, Request request);
  template <class Reply>
  void await_result(std::unique_ptr<Outgoing> call, Reply reply);
  void await_reply(std::uint64_t number, kj::Promise<LaneReply> reply);
  void finished(std::uint64_t number, Result<LaneReply> reply);
  void fill_tensor(wire::Tensor::Builder out, const std::string& name, const Outgoing& call);
  void taskFailed(kj::Exception&& exception) override;

  wire::Executable::Client executable_;
  std::optional<wire::Trainer::Client> trainer_;
  MonotonicClock clock_;
  std::optional<Error> failed_;
  std::uint64_t next_upload_ = 1;
  std::deque<std::unique_ptr<Outgoing>> waiting_;                 // for uploads, in order
  std::map<std::uint64_t, std::unique_ptr<Outgoing>> under_way_;  // by number
  kj::TaskSet tasks_{*this};  // last: its promises refer to the others
};

}  // namespace penstock::detail
