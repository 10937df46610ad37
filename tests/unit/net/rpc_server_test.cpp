#include "base/net/rpc_server.h"

#include <capnp/capability.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <kj/io.h>
#include <kj/vector.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/net/rpc_client.h"
#include "echo.capnp.h"
#include "loop_fixture.h"
#include "temporary_directory.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

struct Calls {
  int cancelled = 0;
  int waiting = 0;
  std::uint64_t pushed = 0;
  int served = 0;  // echo objects alive
};

class FileServer final : public test::File::Server {
 public:
  FileServer() : file_(::memfd_create("file", MFD_CLOEXEC)) {
    REQUIRE(::write(file_, "of the server", 13) == 13);
  }
  kj::Maybe<int> getFd() override { return file_.get(); }

 private:
  kj::AutoCloseFd file_;
};

class EchoServer final : public Echo::Server {
 public:
  EchoServer(PeerInfo peer, Calls& calls) : peer_(std::move(peer)), calls_(calls) {
    ++calls_.served;
  }
  ~EchoServer() noexcept(false) { --calls_.served; }

  kj::Promise<void> echo(EchoContext context) override {
    context.getResults().setData(context.getParams().getData());
    return kj::READY_NOW;
  }
  kj::Promise<void> fail(FailContext context) override {
    const std::string kind = context.getParams().getKind();
    throw_error({parse_error_code(kind).value(), "lease 7: " + kind});
  }
  kj::Promise<void> never(NeverContext context) override {
    context.allowCancellation();
    ++calls_.waiting;
    return kj::Promise<void>(kj::NEVER_DONE).attach(kj::defer([&calls = calls_]() {
      ++calls.cancelled;
    }));
  }
  kj::Promise<void> whoAmI(WhoAmIContext context) override {
    auto results = context.getResults();
    results.setFingerprint(peer_.fingerprint.c_str());
    results.setConnection(peer_.connection);
    return kj::READY_NOW;
  }
  kj::Promise<void> push(PushContext context) override {
    calls_.pushed += context.getParams().getData().size();
    return kj::READY_NOW;
  }
  kj::Promise<void> pushed(PushedContext context) override {
    context.getResults().setBytes(calls_.pushed);
    return kj::READY_NOW;
  }
  kj::Promise<void> relay(RelayContext context) override {
    auto request = context.getParams().getTarget().failRequest();
    request.setKind(context.getParams().getKind());
    return request.send().ignoreResult();
  }
  kj::Promise<void> openFile(OpenFileContext context) override {
    context.getResults().setFile(kj::heap<FileServer>());
    return kj::READY_NOW;
  }

 private:
  PeerInfo peer_;
  Calls& calls_;
};

struct Served {
  explicit Served(RpcServerOptions options = {}, const std::string& at = "127.0.0.1:0") {
    const Address where = *parse_address(at);
    auto listener = wait_for(*loop, listen(*loop, where));
    server = std::make_unique<RpcServer>(
        *loop, kj::mv(listener),
        [this](const PeerInfo& peer) { return Echo::Client(kj::heap<EchoServer>(peer, calls)); },
        options, log);
    address = where;
    if (!where.is_unix()) address.port = static_cast<std::uint16_t>(server->port());
  }
  kj::Own<RpcConnection> connect(const RpcClientOptions& options = {}) {
    return wait_for(*loop, RpcConnection::connect(*loop, address, options));
  }
  std::string echo(RpcConnection& connection, const std::string& text) {
    auto request = connection.bootstrap().castAs<Echo>().echoRequest();
    request.setData(kj::StringPtr(text.c_str(), text.size()).asBytes());
    auto response = wait_for<capnp::Response<Echo::EchoResults>>(*loop, request.send());
    auto data = response.getData();
    return std::string(reinterpret_cast<const char*>(data.begin()), data.size());
  }
  /// Lets the loop run until `condition` holds.
  template <class Condition>
  void until(Condition condition) {
    const auto& clock = kj::systemPreciseMonotonicClock();
    const auto end = clock.now() + to_duration(kDeadline);
    while (!condition()) {
      REQUIRE(clock.now() < end);
      wait_for(*loop, loop->timer().afterDelay(1 * kj::MILLISECONDS));
    }
  }

  std::unique_ptr<EventLoop> loop = make_loop();
  NullLog log;
  Calls calls;
  std::unique_ptr<RpcServer> server;
  Address address;
};

Error fail(Served& served, RpcConnection& connection, ErrorCode code) {
  auto request = connection.bootstrap().castAs<Echo>().failRequest();
  request.setKind(std::string(name(code)).c_str());
  return error_of(*served.loop, request.send().ignoreResult());
}

}  // namespace

TEST_CASE("a call over TCP comes back") {
  Served served;
  auto connection = served.connect();
  CHECK(served.echo(*connection, "hello") == "hello");
}

TEST_CASE("megabytes in one call come back whole") {
  Served served;
  auto connection = served.connect();
  const std::string bytes = pattern(8'000'000);
  CHECK((served.echo(*connection, bytes) == bytes));
}

TEST_CASE("many calls in flight are all answered") {
  Served served;
  auto connection = served.connect();
  auto echo = connection->bootstrap().castAs<Echo>();
  kj::Vector<kj::Promise<void>> calls;
  int right = 0;
  for (std::uint8_t i = 0; i < 200; ++i) {
    auto request = echo.echoRequest();
    request.initData(1)[0] = i;
    calls.add(request.send().then([i, &right](capnp::Response<Echo::EchoResults> response) {
      if (response.getData()[0] == i) ++right;
    }));
  }
  wait_for(*served.loop, kj::joinPromises(calls.releaseAsArray()));
  CHECK(right == 200);
}

TEST_CASE("every error code crosses the wire with its text") {
  Served served;
  auto connection = served.connect();
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    CHECK(fail(served, *connection, code) == Error{code, "lease 7: " + std::string(name(code))});
  }
}

TEST_CASE("an error code crosses a relay") {
  Served served;
  auto near = served.connect();
  auto far = served.connect();
  auto request = near->bootstrap().castAs<Echo>().relayRequest();
  request.setTarget(far->bootstrap().castAs<Echo>());
  request.setKind("not_found");
  CHECK(error_of(*served.loop, request.send().ignoreResult()) ==
        Error{ErrorCode::not_found, "lease 7: not_found"});
}

TEST_CASE("each connection gets a bootstrap of its own") {
  Served served;
  auto first = served.connect();
  auto second = served.connect();
  std::vector<std::uint64_t> numbers;
  for (auto* connection : {first.get(), second.get()}) {
    auto request = connection->bootstrap().castAs<Echo>().whoAmIRequest();
    numbers.push_back(wait_for<capnp::Response<Echo::WhoAmIResults>>(*served.loop, request.send())
                          .getConnection());
  }
  CHECK(numbers == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("the connection above the limit is refused, and has its place once one leaves") {
  RpcServerOptions options;
  options.connections_max = 2;
  Served served(options);
  auto first = served.connect();
  auto second = served.connect();
  CHECK(served.echo(*first, "a") == "a");
  CHECK(served.echo(*second, "b") == "b");
  auto third = served.connect();
  wait_for(*served.loop, third->on_disconnect());
  CHECK(served.server->refused_count() == 1);
  CHECK(served.echo(*first, "still") == "still");
  second = nullptr;
  served.until([&served]() { return served.server->connection_count() == 1; });
  auto fourth = served.connect();
  CHECK(served.echo(*fourth, "in") == "in");
}

TEST_CASE("a peer that sends garbage loses its connection and nobody else's") {
  Served served;
  auto good = served.connect();
  CHECK(served.echo(*good, "before") == "before");
  auto& network = served.loop->provider().getNetwork();
  auto target = wait_for(*served.loop, network.parseAddress(served.address.dial_text().c_str()));
  auto bad = wait_for(*served.loop, target->connect());
  wait_for(*served.loop, bad->write("GET / HTTP/1.1\r\n\r\n", 18));
  char byte = 0;
  // An end or a reset.
  auto ended = settle(bad->tryRead(&byte, 1, 1).ignoreResult());
  wait_for(*served.loop, ended.ignoreResult());
  served.until([&served]() { return served.server->connection_count() == 1; });
  CHECK(served.echo(*good, "after") == "after");
}

TEST_CASE("a header that claims gigabytes loses its connection at once") {
  Served served;
  auto& network = served.loop->provider().getNetwork();
  auto target = wait_for(*served.loop, network.parseAddress(served.address.dial_text().c_str()));
  auto bad = wait_for(*served.loop, target->connect());
  wait_for(*served.loop, bad->write("\0\0\0\0\0\0\0\x10", 8));  // one segment of 2 GiB
  served.until([&served]() { return served.server->connection_count() == 0; });
}

TEST_CASE("a peer that is slow disturbs nobody") {
  Served served;
  auto& network = served.loop->provider().getNetwork();
  auto target = wait_for(*served.loop, network.parseAddress(served.address.dial_text().c_str()));
  auto slow = wait_for(*served.loop, target->connect());
  wait_for(*served.loop, slow->write("\0\0\0\0\xff", 5));  // and never the rest
  auto good = served.connect();
  CHECK(served.echo(*good, "fine") == "fine");
  CHECK(served.server->connection_count() == 2);
}

TEST_CASE("a call whose client goes away is cancelled and its object freed") {
  Served served;
  auto connection = served.connect();
  auto call = connection->bootstrap().castAs<Echo>().neverRequest().send().ignoreResult();
  auto calling = call.eagerlyEvaluate([](kj::Exception&&) {});
  served.until([&served]() { return served.calls.waiting == 1; });
  CHECK(served.calls.served == 1);
  calling = nullptr;
  connection = nullptr;
  served.until([&served]() { return served.calls.cancelled == 1; });
  served.until([&served]() { return served.calls.served == 0; });
}

TEST_CASE("a client learns when its server goes") {
  Served served;
  auto connection = served.connect();
  CHECK(served.echo(*connection, "hello") == "hello");
  auto call = connection->bootstrap().castAs<Echo>().neverRequest().send().ignoreResult();
  served.server = nullptr;
  wait_for(*served.loop, connection->on_disconnect());
  CHECK(error_of(*served.loop, kj::mv(call)).code == ErrorCode::unavailable);
}

TEST_CASE("a stream of chunks arrives whole") {
  Served served;
  auto connection = served.connect();
  auto echo = connection->bootstrap().castAs<Echo>();
  struct Pushing {
    static Task<std::uint64_t> run(Echo::Client echo) {
      for (int i = 0; i < 64; ++i) {
        auto request = echo.pushRequest();
        request.initData(256 * 1024);
        co_await request.send();
      }
      auto asked = echo.pushedRequest();
      auto response = co_await asked.send();
      co_return response.getBytes();
    }
  };
  CHECK(wait_for(*served.loop, Pushing::run(echo).promise()) == 64 * 256 * 1024);
}

TEST_CASE("a call that is too large fails alone") {
  Served served;
  auto connection = served.connect();
  auto request = connection->bootstrap().castAs<Echo>().echoRequest();
  request.initData(17 * 1024 * 1024);
  CHECK_FALSE(wait_result(request.send().ignoreResult(), served.loop->wait_scope()).ok());
  CHECK(served.echo(*connection, "small") == "small");
}

TEST_CASE("mutual TLS tells the server who calls") {
  const Identity server = *make_identity("server");
  const Identity client = *make_identity("client");
  TlsOptions server_side;
  server_side.identity = server;
  server_side.peer = PeerCertificate::pinned;
  server_side.pins = {client.fingerprint};
  TlsOptions client_side;
  client_side.identity = client;
  client_side.pins = {server.fingerprint};
  const auto server_context = std::move(*TlsContext::create(server_side));
  const auto client_context = std::move(*TlsContext::create(client_side));
  RpcServerOptions server_options;
  server_options.tls = server_context.get();
  Served served(server_options);
  RpcClientOptions client_options;
  client_options.tls = client_context.get();
  auto connection = served.connect(client_options);
  CHECK(connection->peer_fingerprint() == server.fingerprint);
  auto request = connection->bootstrap().castAs<Echo>().whoAmIRequest();
  auto response = wait_for<capnp::Response<Echo::WhoAmIResults>>(*served.loop, request.send());
  CHECK(std::string(response.getFingerprint()) == client.fingerprint);
  const std::string bytes = pattern(5'000'000);
  CHECK((served.echo(*connection, bytes) == bytes));
}

TEST_CASE("a client that does not pin the server's certificate never sends it a call") {
  TlsOptions server_side;
  server_side.identity = *make_identity("server");
  server_side.peer = PeerCertificate::not_asked;
  TlsOptions client_side;
  client_side.pins = {std::string(64, '0')};
  const auto server_context = std::move(*TlsContext::create(server_side));
  const auto client_context = std::move(*TlsContext::create(client_side));
  RpcServerOptions server_options;
  server_options.tls = server_context.get();
  Served served(server_options);
  RpcClientOptions client_options;
  client_options.tls = client_context.get();
  const Error error =
      error_of(*served.loop, RpcConnection::connect(*served.loop, served.address, client_options));
  CHECK(error.code == ErrorCode::unauthenticated);
  CHECK(contains(error.message, server_side.identity->fingerprint));
}

TEST_CASE("a server that does not answer is unavailable, and the text says where") {
  Served served;
  const Address address = served.address;
  served.server = nullptr;
  const Error error = error_of(*served.loop, RpcConnection::connect(*served.loop, address, {}));
  CHECK(error.code == ErrorCode::unavailable);
  CHECK(contains(error.message, "connect to " + address.dial_text()));
}

TEST_CASE("a capability's file descriptor crosses a Unix socket") {
  const TemporaryDirectory directory;
  RpcServerOptions options;
  options.fds_per_message_max = 4;
  Served served(options, "unix:" + directory.path("socket"));
  RpcClientOptions client_options;
  client_options.fds_per_message_max = 4;
  auto connection = served.connect(client_options);
  CHECK(served.echo(*connection, "plain call") == "plain call");
  auto request = connection->bootstrap().castAs<Echo>().openFileRequest();
  auto response = wait_for<capnp::Response<Echo::OpenFileResults>>(*served.loop, request.send());
  auto file = response.getFile();
  auto fd = wait_for(*served.loop, file.getFd());
  char text[16] = {};
  CHECK(::pread(KJ_ASSERT_NONNULL(fd), text, 13, 0) == 13);
  CHECK(std::string(text) == "of the server");
}

TEST_CASE("a Unix socket left by a dead server is replaced, a live one is not") {
  const TemporaryDirectory directory;
  const std::string at = "unix:" + directory.path("socket");
  { Served dead({}, at); }
  Served alive({}, at);
  auto connection = alive.connect();
  CHECK(alive.echo(*connection, "x") == "x");
  const Error error = error_of(*alive.loop, listen(*alive.loop, *parse_address(at)));
  CHECK(error.code == ErrorCode::already_exists);
}

TEST_CASE("a server that drains takes nobody new and finishes what it has") {
  Served served;
  auto connection = served.connect();
  CHECK(served.echo(*connection, "a") == "a");
  served.server->stop_accepting();
  auto drained = served.server->drained();
  CHECK_FALSE(drained.poll(served.loop->wait_scope()));
  CHECK(served.echo(*connection, "b") == "b");
  connection = nullptr;
  wait_for(*served.loop, kj::mv(drained));
}
