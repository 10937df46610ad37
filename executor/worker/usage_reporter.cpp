#include "executor/worker/usage_reporter.h"

#include <algorithm>
#include <utility>

#include "base/net/coroutine.h"

namespace penstock::executor {
UsageReporter::UsageReporter(Options options, wire::UsageSink::Client sink, kj::Timer& timer,
                             Log& log)
    : options_(options),
      sink_(kj::mv(sink)),
      timer_(timer),
      log_(log),
      retry_after_(options.period) {}

void UsageReporter::add(const wire::CallUsage& usage) {
  if (usage == wire::CallUsage{}) return;
  collected_.add(usage);
  if (running_) return;
  running_ = true;
  go_on(report(options_.period));
}

kj::Promise<void> UsageReporter::flush() {
  if (!running_) return kj::READY_NOW;
  // Cuts a period or an answer short; what may have arrived is repeated under its own number.
  loop_ = kj::READY_NOW;
  auto repeated = in_flight_ ? send() : kj::Promise<void>(kj::READY_NOW);
  auto sent = repeated
                  .then([this]() -> kj::Promise<void> {
                    return collected_ == wire::CallUsage{} ? kj::READY_NOW : send();
                  })
                  .fork();
  auto out = sent.addBranch();
  go_on(after(sent.addBranch()));
  return out;
}

void UsageReporter::go_on(kj::Promise<void> reporting) {
  loop_ = reporting.eagerlyEvaluate([this](kj::Exception&& exception) {
    log_.error("worker", "usage reports have stopped: " + net::from_exception(exception).message);
  });
}

kj::Promise<void> UsageReporter::report(Nanoseconds delay) {
  return timer_.afterDelay(net::to_duration(delay)).then([this]() { return after(send()); });
}

kj::Promise<void> UsageReporter::after(kj::Promise<void> sent) {
  return sent.then(
      [this]() -> kj::Promise<void> {
        retry_after_ = options_.period;
        if (!(collected_ == wire::CallUsage{})) return report(options_.period);
        running_ = false;
        return kj::READY_NOW;
      },
      [this](kj::Exception&& exception) -> kj::Promise<void> {
        log_.warning("worker", "usage report " + std::to_string(sequence_) +
                                   " was not taken and will be repeated: " +
                                   net::from_exception(exception).message);
        retry_after_ = std::min(2 * retry_after_, options_.retry_after_max);
        return report(retry_after_);
      });
}

kj::Promise<void> UsageReporter::send() {
  if (!in_flight_) {
    sending_ = std::exchange(collected_, {});
    ++sequence_;
    in_flight_ = true;
  }
  auto request = sink_.reportRequest();
  request.setLease(options_.lease.value);
  request.setEpoch(options_.epoch.value);
  request.setSequence(sequence_);
  wire::set(request.initUsage(), sending_);
  auto answer = net::with_deadline(timer_, options_.answer_deadline, request.send().ignoreResult(),
                                   "usage report");
  return answer.then([this]() { in_flight_ = false; });
}

}  // namespace penstock::executor
