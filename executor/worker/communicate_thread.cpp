#include "executor/worker/communicate_thread.h"

#include <utility>

#include "executor/collectives/transport_communicator.h"
#include "executor/collectives/ucx_transport.h"
#include "executor/worker/command.h"

namespace penstock::executor {
namespace {

MessageReceiver::Sizes sizes_of(bool commands) {
  if (commands)
    return [](std::string_view body) -> Result<std::vector<std::uint64_t>> {
      PENSTOCK_ASSIGN(auto decoded, decode_command(body));
      return std::move(decoded.blob_bytes);
    };
  return [](std::string_view body) -> Result<std::vector<std::uint64_t>> {
    PENSTOCK_ASSIGN(auto decoded, decode_completion(body));
    return std::move(decoded.blob_bytes);
  };
}

}  // namespace

struct CommunicateThread::Link {
  Link(CommunicateThread& owner, std::uint32_t peer, bool leader)
      : sender(*owner.transport_, {peer, leader ? kCommandTag : kCompletionTag}),
        receiver(*owner.transport_, owner.options_.pool, *owner.options_.clock,
                 {.from = {peer, leader ? kCompletionTag : kCommandTag},
                  .body_bytes_max = 2 * owner.options_.limits.text_bytes_max + kMiB,
                  .sizes = sizes_of(!leader),
                  .deliver = [&owner, peer](IncomingMessage message) {
                    owner.handlers_.received(peer, std::move(message));
                  }}) {}
  MessageSender sender;
  MessageReceiver receiver;
};

CommunicateThread::CommunicateThread(Options options)
    : options_(std::move(options)),
      collectives_({.clock = options_.clock,
                    .deadline = options_.limits.collective_deadline,
                    .wake = [this] { wake(); },
                    .pool = options_.pool}),
      thread_([this] { run(); }) {}

CommunicateThread::~CommunicateThread() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
}

void CommunicateThread::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake();
}

void CommunicateThread::wake() {
  const std::lock_guard lock(mutex_);
  if (awake_ != nullptr) awake_->wake();
  posted_.notify_one();
}

void CommunicateThread::open(RankIdentity identity, std::function<void(Result<std::string>)> done) {
  post([this, identity, done = std::move(done)] {
    auto opened = collectives::UcxTransport::open({.rank = identity.rank,
                                                   .size = identity.ranks,
                                                   .lease = identity.lease,
                                                   .epoch = identity.epoch},
                                                  *options_.clock);
    if (!opened.ok()) {
      done(std::move(opened).error());
      return;
    }
    ucx_ = std::move(opened).value();
    done(ucx_->address());
  });
}

void CommunicateThread::connect(std::vector<std::string> addresses, Handlers handlers,
                                std::function<void(Status)> done) {
  post([this, addresses = std::move(addresses), handlers = std::move(handlers),
        done = std::move(done)] {
    PENSTOCK_CHECK(ucx_ != nullptr, "connect comes after open");
    Status status =
        ucx_->connect(addresses, options_.clock->now() + options_.limits.collective_deadline);
    if (status.ok()) status = start_mesh(*ucx_, handlers);
    done(std::move(status));
  });
}

void CommunicateThread::adopt(collectives::Transport& transport, Handlers handlers) {
  post([this, &transport, handlers = std::move(handlers)] {
    const Status started = start_mesh(transport, handlers);
    PENSTOCK_CHECK(started.ok());
  });
}

Status CommunicateThread::start_mesh(collectives::Transport& transport, Handlers handlers) {
  collectives::ChunkObserver observer;
  if (options_.trace != nullptr)
    observer = [this](const collectives::ChunkReceived& chunk) {
      options_.trace->chunk(collectives_.label_of(chunk.tag), chunk.peer, chunk.bytes, chunk.at);
    };
  PENSTOCK_ASSIGN(communicator_, collectives::make_communicator(transport, *options_.clock,
                                                                {.observer = observer}));
  transport_ = &transport;
  handlers_ = std::move(handlers);
  const bool leader = transport.rank() == 0;
  for (std::uint32_t peer = leader ? 1 : 0; peer < (leader ? transport.size() : 1); ++peer)
    links_.push_back(std::make_unique<Link>(*this, peer, leader));
  const std::lock_guard lock(mutex_);
  awake_ = transport_;
  return {};
}

void CommunicateThread::send(std::uint32_t peer, OutgoingMessage message) {
  // std::function wants to be copyable; the message is moved through a shared holder.
  auto held = std::make_shared<OutgoingMessage>(std::move(message));
  post([this, peer, held] {
    if (failure_ || transport_ == nullptr) return;
    Link& link = *links_[transport_->rank() == 0 ? peer - 1 : 0];
    if (const Status sent = link.sender.send(std::move(*held)); !sent.ok()) fail(sent.error());
  });
}

void CommunicateThread::mark_failed(std::uint32_t rank, std::string reason) {
  post([this, rank, reason = std::move(reason)] {
    if (transport_ != nullptr) transport_->mark_failed(rank, reason);
  });
}

void CommunicateThread::run_tasks() {
  std::deque<std::function<void()>> tasks;
  {
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  }
  for (auto& task : tasks) task();
}

Result<bool> CommunicateThread::step() {
  bool moved = collectives_.poll(*communicator_);
  moved |= communicator_->progress();
  moved |= collectives_.poll(*communicator_);
  if (const auto& failure = transport_->failure()) return *failure;
  if (const auto& failure = communicator_->failure()) return *failure;
  for (const auto& link : links_) {
    PENSTOCK_ASSIGN(const bool sent, link->sender.poll());
    PENSTOCK_ASSIGN(const bool received, link->receiver.poll());
    moved |= sent || received;
  }
  return moved;
}

void CommunicateThread::fail(const Error& error) {
  if (failure_) return;
  failure_ = error;
  collectives_.fail(error);
  for (const auto& link : links_) {
    link->sender.drop();
    link->receiver.drop();
  }
  if (handlers_.failed) handlers_.failed(error);
}

void CommunicateThread::run() {
  for (;;) {
    run_tasks();
    {
      std::unique_lock lock(mutex_);
      if (stopping_) break;
      if (!tasks_.empty()) continue;
      if (transport_ == nullptr || failure_) {
        posted_.wait_for(lock, kSleepMax);
        continue;
      }
    }
    auto moved = step();
    if (!moved.ok())
      fail(moved.error());
    else if (!*moved)
      communicator_->idle(options_.clock->now() + kSleepMax);
  }
  {
    const std::lock_guard lock(mutex_);
    awake_ = nullptr;
  }
  collectives_.fail({ErrorCode::cancelled, "this worker is stopping"});
  links_.clear();
  communicator_.reset();
  if (ucx_ && transport_ != nullptr && !failure_) {
    const Status closed = ucx_->close(options_.clock->now() + 1s);
    if (!closed.ok()) failure_ = closed.error();  // nobody is left to tell
  }
  ucx_.reset();
}

}  // namespace penstock::executor
