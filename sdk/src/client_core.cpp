#include "sdk/src/client_core.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "base/net/coroutine.h"
#include "schema/wire/convert.h"
#include "schema/wire/version.h"

namespace penstock::detail {

namespace {

constexpr std::string_view kFolderStem = "penstock-";

/// Removes folders of clients that were killed: `penstock-PID-...`, ours, of no running process.
void sweep_abandoned_folders() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/tmp", ignored)) {
    const std::string name = entry.path().filename();
    int pid = 0;
    if (name.rfind(kFolderStem, 0) != 0) continue;
    const char* begin = name.data() + kFolderStem.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
    if (error != std::errc() || end == name.data() + name.size() || *end != '-' || pid < 1)
      continue;
    struct stat status {};
    if (lstat(entry.path().c_str(), &status) != 0 || status.st_uid != getuid()) continue;
    if (S_ISDIR(status.st_mode) && kill(pid, 0) != 0 && errno == ESRCH)
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Result<std::unique_ptr<PrivateFolder>> PrivateFolder::make() {
  sweep_abandoned_folders();
  // Short, since the path of a Unix socket has at most 107 bytes.
  std::string path = "/tmp/" + std::string(kFolderStem) + std::to_string(getpid()) + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    return Error{ErrorCode::unavailable, "local pool: cannot make a folder in /tmp"};
  return std::make_unique<PrivateFolder>(path);
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;  // a folder that stays is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

namespace {

kj::Own<net::TlsContext> make_tls(const net::Address& address, const net::Identity& identity) {
  net::TlsOptions options;
  options.identity = identity;
  options.peer = net::PeerCertificate::pinned;
  options.pins = {address.fingerprint};
  auto context = net::or_throw(net::TlsContext::create(std::move(options)));
  return kj::Own<net::TlsContext>(context.release(),
                                  kj::_::HeapDisposer<net::TlsContext>::instance);
}

}  // namespace

net::Task<std::string> ClientCore::open(net::Address address, std::string key,
                                        Nanoseconds deadline) {
  net::RpcClientOptions options;
  options.deadline = deadline;
  kj::Own<net::TlsContext> tls;
  if (!address.is_unix()) {
    tls = make_tls(address, identity_);
    options.tls = tls.get();
  }
  auto connection = co_await net::RpcConnection::connect(thread_->loop(), address, options);
  auto gateway = connection->bootstrap().castAs<wire::Gateway>();
  auto hello = gateway.helloRequest();
  wire::set_own_version(hello.initVersion());
  auto greeting = hello.send();
  auto login = gateway.loginRequest();
  login.setKey(wire::to_kj(key));
  wire::set_own_version(login.initVersion());
  auto session = login.send();  // pipelined behind the greeting
  auto greeted = co_await greeting;
  net::or_throw(wire::check_version(greeted.getVersion(), "gateway"));
  auto opened = co_await session;
  wire_ = std::unique_ptr<Wire>(new Wire{kj::mv(connection), opened.getSession()});
  co_return wire::to_string(opened.getAccount());
}

Status ClientCore::log_in(const net::Address& address, const std::string& key,
                          Nanoseconds deadline) {
  const std::string what = "connect to gateway " + address.dial_text();
  auto account = thread_->call(what, deadline, [&, this]() -> kj::Promise<std::string> {
    return open(address, key, deadline);
  });
  if (!account.ok()) return std::move(account).error();
  account_ = std::move(account).value();
  return {};
}

Result<std::shared_ptr<ClientCore>> ClientCore::connect(const net::Address& address,
                                                        const std::string& key,
                                                        Nanoseconds deadline) {
  std::shared_ptr<ClientCore> core(new ClientCore());
  PENSTOCK_ASSIGN(core->identity_, net::make_identity("penstock client"));
  PENSTOCK_ASSIGN(core->thread_, LoopThread::start());
  PENSTOCK_TRY(core->log_in(address, key, deadline));
  return core;
}

Result<std::shared_ptr<ClientCore>> ClientCore::local(const LocalOptions& options) {
  std::shared_ptr<ClientCore> core(new ClientCore());
  PoolOptions pool;
  PENSTOCK_ASSIGN(pool.binaries, find_binaries(options.binaries));
  PENSTOCK_ASSIGN(core->folder_, PrivateFolder::make());
  PENSTOCK_ASSIGN(core->identity_, net::make_identity("penstock client"));
  PENSTOCK_ASSIGN(core->thread_, LoopThread::start());
  pool.data = core->folder_->path() + "/data";
  pool.unix_path = core->folder_->path() + "/gateway";
  pool.log_path = core->folder_->path() + "/log";
  pool.print_key = true;
  pool.devices = options.devices;
  pool.threads = options.threads;
  pool.memory_bytes = options.memory_bytes;
  pool.trace = options.trace;
  pool.deadline = options.deadline;
  PENSTOCK_ASSIGN(core->pool_, PoolProcesses::start(*core->thread_, pool));
  const GatewayReady& ready = core->pool_->gateway();
  net::Address address;
  address.path = pool.unix_path;
  PENSTOCK_TRY(core->log_in(address, ready.key, options.deadline));
  return core;
}

ClientCore::~ClientCore() {
  if (thread_ == nullptr) return;
  thread_->post([this]() { wire_ = nullptr; });
  pool_ = nullptr;    // waits for the children
  thread_ = nullptr;  // waits for what was posted
}

}  // namespace penstock::detail
