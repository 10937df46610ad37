// A user's own code whose names are KJ's and Cap'n Proto's. Penstock must neither call it nor mind
// it.
#include <cstdlib>

namespace kj {
class ExceptionCallback;
[[gnu::used]] ExceptionCallback& getExceptionCallback() {
  std::abort();
}
[[gnu::used]] int newAdapterForNothing() {
  return 0;
}
class EventLoop {
 public:
  EventLoop();
  ~EventLoop() noexcept(false);
};
EventLoop::EventLoop() {
  std::abort();
}
EventLoop::~EventLoop() noexcept(false) {
  std::abort();
}
}  // namespace kj

namespace capnp {
class MessageBuilder {
 public:
  MessageBuilder();
};
MessageBuilder::MessageBuilder() {
  std::abort();
}
}  // namespace capnp
