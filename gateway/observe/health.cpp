#include "gateway/observe/health.h"

#include <kj/compat/http.h>

#include <utility>

namespace penstock::gateway {
namespace {

class HealthService final : public kj::HttpService {
 public:
  HealthService(const kj::HttpHeaderTable& table, std::function<std::string()> report)
      : table_(table), report_(std::move(report)) {}

  kj::Promise<void> request(kj::HttpMethod method, kj::StringPtr url, const kj::HttpHeaders&,
                            kj::AsyncInputStream&, Response& response) override {
    if (url != "/healthz") return response.sendError(404, "Not Found", table_);
    if (method != kj::HttpMethod::GET && method != kj::HttpMethod::HEAD)
      return response.sendError(405, "Method Not Allowed", table_);
    kj::HttpHeaders headers(table_);
    headers.set(kj::HttpHeaderId::CONTENT_TYPE, "application/json");
    const std::string text = report_();
    auto body = kj::str(kj::StringPtr(text.c_str(), text.size()), "\n");
    auto stream = response.send(200, "OK", headers, body.size());
    if (method == kj::HttpMethod::HEAD) return kj::READY_NOW;
    auto written = stream->write(body.begin(), body.size());
    return written.attach(kj::mv(body), kj::mv(stream));
  }

 private:
  const kj::HttpHeaderTable& table_;
  std::function<std::string()> report_;
};

struct Parts {
  kj::Own<kj::HttpHeaderTable> table = kj::HttpHeaderTable::Builder().build();
  kj::Own<kj::ConnectionReceiver> listener;
  kj::Own<HealthService> service;
  kj::Own<kj::HttpServer> server;
};

}  // namespace

kj::Promise<void> serve_health(kj::Timer& timer, kj::Own<kj::ConnectionReceiver> listener,
                               std::function<std::string()> report) {
  auto parts = kj::heap<Parts>();
  parts->listener = kj::mv(listener);
  parts->service = kj::heap<HealthService>(*parts->table, std::move(report));
  parts->server = kj::heap<kj::HttpServer>(timer, *parts->table, *parts->service);
  auto serving = parts->server->listenHttp(*parts->listener);
  return serving.attach(kj::mv(parts));
}

}  // namespace penstock::gateway
