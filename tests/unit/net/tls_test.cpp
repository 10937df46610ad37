#include "base/net/tls.h"

#include <doctest/doctest.h>
#include <kj/vector.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <vector>

#include "loop_fixture.h"

using namespace penstock;
using namespace penstock::net;
using namespace penstock::net::test;

namespace {

const Identity& server_identity() {
  static const Identity identity = *make_identity("server");
  return identity;
}
const Identity& client_identity() {
  static const Identity identity = *make_identity("client");
  return identity;
}

std::unique_ptr<TlsContext> context(TlsOptions options) {
  auto made = TlsContext::create(std::move(options));
  REQUIRE(made.ok());
  return std::move(*made);
}

TlsOptions server_options(PeerCertificate peer = PeerCertificate::not_asked,
                          std::set<std::string> pins = {}) {
  TlsOptions options;
  options.identity = server_identity();
  options.peer = peer;
  options.pins = std::move(pins);
  return options;
}

TlsOptions client_options(std::set<std::string> pins) {
  TlsOptions options;
  options.peer = PeerCertificate::pinned;
  options.pins = std::move(pins);
  return options;
}

/// Both ends of a TLS connection over a socket pair.
struct TlsPair {
  explicit TlsPair(TlsOptions client_side = client_options({server_identity().fingerprint}),
                   TlsOptions server_side = server_options())
      : client_context(context(std::move(client_side))),
        server_context(context(std::move(server_side))),
        pipe(loop->provider().newTwoWayPipe()) {}

  kj::Promise<kj::Own<TlsStream>> connect() {
    return connect_tls(kj::mv(pipe.ends[0]), *client_context, loop->timer());
  }
  kj::Promise<kj::Own<TlsStream>> accept() {
    return accept_tls(kj::mv(pipe.ends[1]), *server_context, loop->timer());
  }
  void open() {
    auto connecting = connect();
    server = wait_for(*loop, accept());
    client = wait_for(*loop, kj::mv(connecting));
  }

  std::unique_ptr<EventLoop> loop = make_loop();
  std::unique_ptr<TlsContext> client_context;
  std::unique_ptr<TlsContext> server_context;
  kj::TwoWayPipe pipe;
  kj::Own<TlsStream> client;
  kj::Own<TlsStream> server;
};

std::string read_exactly(EventLoop& loop, kj::AsyncIoStream& stream, std::size_t size) {
  std::string text(size, '\0');
  text.resize(wait_for(loop, stream.tryRead(text.data(), size, size)));
  return text;
}

/// A stream that passes everything on, and keeps what was written.
class Tap final : public kj::AsyncIoStream {
 public:
  Tap(kj::Own<kj::AsyncIoStream> inner, std::vector<std::size_t>& writes)
      : inner_(kj::mv(inner)), writes_(writes) {}
  kj::Promise<size_t> tryRead(void* buffer, size_t min, size_t max) override {
    return inner_->tryRead(buffer, min, max);
  }
  kj::Promise<void> write(const void* buffer, size_t size) override {
    writes_.push_back(size);
    return inner_->write(buffer, size);
  }
  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const kj::byte>> pieces) override {
    return inner_->write(pieces);
  }
  kj::Promise<void> whenWriteDisconnected() override { return inner_->whenWriteDisconnected(); }
  void shutdownWrite() override { inner_->shutdownWrite(); }

 private:
  kj::Own<kj::AsyncIoStream> inner_;
  std::vector<std::size_t>& writes_;
};

}  // namespace

TEST_CASE("a pinned server is reached and both ends can talk") {
  TlsPair tls;
  tls.open();
  CHECK(tls.client->peer_fingerprint() == server_identity().fingerprint);
  CHECK(tls.server->peer_fingerprint().empty());
  wait_for(*tls.loop, tls.client->write("question", 8));
  CHECK(read_exactly(*tls.loop, *tls.server, 8) == "question");
  wait_for(*tls.loop, tls.server->write("answer", 6));
  CHECK(read_exactly(*tls.loop, *tls.client, 6) == "answer");
}

TEST_CASE("in mutual TLS each end knows the other's fingerprint") {
  auto client = client_options({server_identity().fingerprint});
  client.identity = client_identity();
  TlsPair tls(client, server_options(PeerCertificate::pinned, {client_identity().fingerprint}));
  tls.open();
  CHECK(tls.client->peer_fingerprint() == server_identity().fingerprint);
  CHECK(tls.server->peer_fingerprint() == client_identity().fingerprint);
}

TEST_CASE("a server that only reports knows a client that shows a certificate") {
  auto client = client_options({server_identity().fingerprint});
  client.identity = client_identity();
  TlsPair tls(client, server_options(PeerCertificate::reported));
  tls.open();
  CHECK(tls.server->peer_fingerprint() == client_identity().fingerprint);
}

TEST_CASE("a server that only reports takes a client that shows none") {
  TlsPair tls(client_options({server_identity().fingerprint}),
              server_options(PeerCertificate::reported));
  tls.open();
  CHECK(tls.server->peer_fingerprint().empty());
}

TEST_CASE("a server whose certificate is not pinned is refused with both fingerprints") {
  const std::string pinned(64, '0');
  TlsPair tls(client_options({pinned}));
  auto accepting = settle(tls.accept()).eagerlyEvaluate(nullptr);
  const Error error = error_of(*tls.loop, tls.connect());
  CHECK(error.code == ErrorCode::unauthenticated);
  CHECK(contains(error.message, server_identity().fingerprint));
  CHECK(contains(error.message, pinned));
  CHECK(contains(error.message, "pin the new fingerprint"));
  // The server learns that it was its certificate.
  auto accepted = wait_for(*tls.loop, kj::mv(accepting));
  REQUIRE_FALSE(accepted.ok());
  CHECK(accepted.error().code == ErrorCode::unauthenticated);
  CHECK(contains(accepted.error().message, "refuses our certificate"));
}

TEST_CASE("a client whose certificate is not pinned is refused, and both ends know why") {
  auto client = client_options({server_identity().fingerprint});
  client.identity = client_identity();
  const std::string pinned(64, '0');
  TlsPair tls(client, server_options(PeerCertificate::pinned, {pinned}));
  auto connecting = tls.connect()
                        .then([](kj::Own<TlsStream> stream) {
                          auto byte = kj::heapArray<char>(1);
                          auto read = stream->tryRead(byte.begin(), 1, 1);
                          return read.attach(kj::mv(stream), kj::mv(byte));
                        })
                        .eagerlyEvaluate(nullptr);
  const Error refused = error_of(*tls.loop, tls.accept());
  CHECK(refused.code == ErrorCode::unauthenticated);
  CHECK(contains(refused.message, client_identity().fingerprint));
  CHECK(contains(refused.message, pinned));
  const Error told = error_of(*tls.loop, kj::mv(connecting));
  CHECK(told.code == ErrorCode::unauthenticated);
  CHECK(contains(told.message, "refuses our certificate"));
}

TEST_CASE("a client without a certificate is refused where one is required") {
  TlsPair tls(client_options({server_identity().fingerprint}),
              server_options(PeerCertificate::required));
  auto connecting = tls.connect()
                        .then([](kj::Own<TlsStream> stream) {
                          auto byte = kj::heapArray<char>(1);
                          auto read = stream->tryRead(byte.begin(), 1, 1);
                          return read.attach(kj::mv(stream), kj::mv(byte));
                        })
                        .eagerlyEvaluate(nullptr);
  CHECK(contains(error_of(*tls.loop, tls.accept()).message, "shows no certificate"));
  CHECK(contains(error_of(*tls.loop, kj::mv(connecting)).message, "give this side an identity"));
}

TEST_CASE("ten megabytes arrive whole, whatever sizes they are written and read in") {
  TlsPair tls;
  tls.open();
  const std::string sent = pattern(10'000'000);
  kj::Vector<kj::ArrayPtr<const kj::byte>> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; at < sent.size(); ++i) {
    const std::size_t size = std::min(sent.size() - at, (i * 7919) % 70'000);
    pieces.add(kj::arrayPtr(reinterpret_cast<const kj::byte*>(sent.data()) + at, size));
    at += size;
  }
  auto written = tls.client->write(pieces.asPtr()).eagerlyEvaluate(nullptr);
  std::string received(sent.size(), '\0');
  for (std::size_t done = 0, i = 0; done < received.size(); ++i) {
    const std::size_t want = std::min(received.size() - done, 1 + (i * 104'729) % 300'000);
    const auto got = wait_for(
        *tls.loop, tls.server->tryRead(received.data() + done, want, received.size() - done));
    REQUIRE(got >= want);
    done += got;
  }
  wait_for(*tls.loop, kj::mv(written));
  CHECK((received == sent));
}

TEST_CASE("both directions are busy at once without losing a byte") {
  TlsPair tls;
  tls.open();
  const std::string sent = pattern(3'000'000);
  std::string up(sent.size(), '\0');
  std::string down(sent.size(), '\0');
  auto write_up = tls.client->write(sent.data(), sent.size()).eagerlyEvaluate(nullptr);
  auto write_down = tls.server->write(sent.data(), sent.size()).eagerlyEvaluate(nullptr);
  auto read_up = tls.server->tryRead(up.data(), up.size(), up.size()).eagerlyEvaluate(nullptr);
  auto read_down =
      tls.client->tryRead(down.data(), down.size(), down.size()).eagerlyEvaluate(nullptr);
  CHECK(wait_for(*tls.loop, kj::mv(read_up)) == sent.size());
  CHECK(wait_for(*tls.loop, kj::mv(read_down)) == sent.size());
  wait_for(*tls.loop, kj::mv(write_up));
  wait_for(*tls.loop, kj::mv(write_down));
  CHECK((up == sent));
  CHECK((down == sent));
}

TEST_CASE("gathered small pieces leave as one write of full records") {
  std::vector<std::size_t> writes;
  TlsPair tls;
  tls.pipe.ends[0] = kj::heap<Tap>(kj::mv(tls.pipe.ends[0]), writes);
  tls.open();
  writes.clear();
  kj::Vector<kj::ArrayPtr<const kj::byte>> pieces;
  const std::string piece = pattern(1024);
  for (int i = 0; i < 32; ++i) pieces.add(kj::StringPtr(piece.c_str(), piece.size()).asBytes());
  wait_for(*tls.loop, tls.client->write(pieces.asPtr()));
  // RFC 8446, 5.2: each record adds 5 bytes of header, 1 of type and 16 of tag.
  REQUIRE(writes.size() == 1);
  CHECK(writes[0] == 32 * 1024 + 2 * 22);
}

TEST_CASE("an orderly end is the end of the stream") {
  TlsPair tls;
  tls.open();
  wait_for(*tls.loop, tls.client->write("bye", 3));
  tls.client->shutdownWrite();
  CHECK(read_exactly(*tls.loop, *tls.server, 10) == "bye");
  wait_for(*tls.loop, tls.server->write("late", 4));
  CHECK(read_exactly(*tls.loop, *tls.client, 4) == "late");
}

TEST_CASE("a stream that is cut is an error and not an end") {
  TlsPair tls;
  tls.open();
  wait_for(*tls.loop, tls.client->write("by", 2));
  tls.client = nullptr;
  std::string text(10, '\0');
  const Error error = error_of(*tls.loop, tls.server->tryRead(text.data(), 10, 10));
  CHECK(error.code == ErrorCode::unavailable);
  CHECK(contains(error.message, "close_notify"));
}

TEST_CASE("half a handshake ends at its deadline") {
  auto options = server_options();
  options.handshake_deadline = 10ms;
  TlsPair tls(client_options({server_identity().fingerprint}), options);
  // The first bytes of a ClientHello, and then nothing.
  wait_for(*tls.loop, tls.pipe.ends[0]->write("\x16\x03\x01\x02\x00\x01", 6));
  const Error error = error_of(*tls.loop, tls.accept());
  CHECK(error.code == ErrorCode::deadline_exceeded);
  CHECK(contains(error.message, "tls handshake"));
}

TEST_CASE("a peer that does not speak TLS is told apart") {
  TlsPair tls;
  wait_for(*tls.loop, tls.pipe.ends[0]->write("GET / HTTP/1.1\r\n\r\n", 18));
  auto accepting = settle(tls.accept()).eagerlyEvaluate(nullptr);
  tls.pipe.ends[0] = nullptr;
  auto accepted = wait_for(*tls.loop, kj::mv(accepting));
  REQUIRE_FALSE(accepted.ok());
  CHECK(accepted.error().code == ErrorCode::failed_precondition);
  CHECK(contains(accepted.error().message, "does not speak TLS"));
}

TEST_CASE("a changed byte on the way is noticed") {
  // A relay between the two ends that flips one bit of what the client sends after the handshake.
  TlsPair tls;
  auto middle = tls.loop->provider().newTwoWayPipe();
  auto server_inner = kj::mv(tls.pipe.ends[1]);
  tls.pipe.ends[1] = kj::mv(middle.ends[1]);
  auto down = middle.ends[0]->pumpTo(*server_inner).eagerlyEvaluate(nullptr);
  bool damage = false;
  struct Relay {
    static Task<void> run(kj::AsyncIoStream& from, kj::AsyncIoStream& to, bool& damage) {
      std::string buffer(65536, '\0');
      while (true) {
        const std::size_t got = co_await from.tryRead(buffer.data(), 1, buffer.size());
        if (got == 0) co_return;
        if (damage) buffer[got - 1] = static_cast<char>(buffer[got - 1] ^ 1);
        co_await to.write(buffer.data(), got);
      }
    }
  };
  kj::Promise<void> up = Relay::run(*server_inner, *middle.ends[0], damage);
  auto relaying = up.eagerlyEvaluate(nullptr);
  tls.open();
  damage = true;
  wait_for(*tls.loop, tls.client->write("pay 1 dollar", 12));
  std::string text(12, '\0');
  const Error error = error_of(*tls.loop, tls.server->tryRead(text.data(), 12, 12));
  CHECK(error.code == ErrorCode::data_loss);
}

TEST_CASE("socket options pass through") {
  auto loop = make_loop();
  auto server_context = context(server_options());
  auto client_context = context(client_options({server_identity().fingerprint}));
  auto& network = loop->provider().getNetwork();
  auto listener = wait_for(*loop, network.parseAddress("127.0.0.1:0"))->listen();
  const std::string where = "127.0.0.1:" + std::to_string(listener->getPort());
  auto accepting = listener->accept()
                       .then([&](kj::Own<kj::AsyncIoStream> stream) {
                         return accept_tls(kj::mv(stream), *server_context, loop->timer());
                       })
                       .eagerlyEvaluate(nullptr);
  auto raw = wait_for(*loop, wait_for(*loop, network.parseAddress(where.c_str()))->connect());
  auto client = wait_for(*loop, connect_tls(kj::mv(raw), *client_context, loop->timer()));
  auto server = wait_for(*loop, kj::mv(accepting));
  const int on = 1;
  client->setsockopt(IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  int value = 0;
  kj::uint length = sizeof(value);
  client->getsockopt(IPPROTO_TCP, TCP_NODELAY, &value, &length);
  CHECK(value != 0);
  sockaddr_in address{};
  length = sizeof(address);
  client->getpeername(reinterpret_cast<sockaddr*>(&address), &length);
  CHECK(ntohs(address.sin_port) == listener->getPort());
}

TEST_CASE("settings that pin nobody are refused") {
  CHECK(TlsContext::create(client_options({})).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a server without an identity is refused") {
  TlsPair tls(client_options({server_identity().fingerprint}),
              client_options({server_identity().fingerprint}));
  CHECK(error_of(*tls.loop, tls.accept()).code == ErrorCode::failed_precondition);
}
