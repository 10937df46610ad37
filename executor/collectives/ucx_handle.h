#pragma once

#include <ucp/api/ucp.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace penstock::collectives {

/// A UCX failure in our words: `what: Endpoint timeout`.
inline Error ucx_error(const char* what, ucs_status_t status) {
  return {status == UCS_ERR_UNREACHABLE ? ErrorCode::unavailable : ErrorCode::internal,
          std::string(what) + ": " + ucs_status_string(status)};
}

struct UcxSetting {
  const char* name;  // without the UCX_ prefix
  std::string value;
};

/// A UCX context: the transports that are found and may be used.
class UcxContext {
 public:
  /// Settings go into this context alone, not into the process's environment.
  static Result<UcxContext> open(const std::vector<UcxSetting>& settings) {
    ucp_config_t* config = nullptr;
    ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
    if (status != UCS_OK) return ucx_error("ucp_config_read", status);
    for (const UcxSetting& setting : settings) {
      status = ucp_config_modify(config, setting.name, setting.value.c_str());
      if (status == UCS_OK) continue;
      ucp_config_release(config);
      return invalid("UCX refuses " + std::string(setting.name) + "=" + setting.value + ": " +
                     ucs_status_string(status));
    }
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    ucp_context_h context = nullptr;
    status = ucp_init(&params, config, &context);
    ucp_config_release(config);
    if (status != UCS_OK) return ucx_error("ucp_init", status);
    return UcxContext(context);
  }
  UcxContext(UcxContext&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  UcxContext& operator=(UcxContext&&) = delete;
  ~UcxContext() {
    if (handle_ != nullptr) ucp_cleanup(handle_);
  }
  ucp_context_h get() const { return handle_; }

 private:
  explicit UcxContext(ucp_context_h handle) : handle_(handle) {}
  ucp_context_h handle_;
};

/// A UCX worker: queues, endpoints and progress, of one thread. Takes its endpoints with it.
class UcxWorker {
 public:
  static Result<UcxWorker> open(const UcxContext& context) {
    ucp_worker_params_t params{};
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    params.thread_mode = UCS_THREAD_MODE_SINGLE;
    ucp_worker_h worker = nullptr;
    const ucs_status_t status = ucp_worker_create(context.get(), &params, &worker);
    if (status != UCS_OK) return ucx_error("ucp_worker_create", status);
    return UcxWorker(worker);
  }
  UcxWorker(UcxWorker&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  UcxWorker& operator=(UcxWorker&&) = delete;
  ~UcxWorker() {
    if (handle_ != nullptr) ucp_worker_destroy(handle_);
  }
  ucp_worker_h get() const { return handle_; }

  /// What a peer needs to reach this worker, opaque.
  Result<std::string> address() const {
    ucp_address_t* address = nullptr;
    std::size_t bytes = 0;
    const ucs_status_t status = ucp_worker_get_address(handle_, &address, &bytes);
    if (status != UCS_OK) return ucx_error("ucp_worker_get_address", status);
    std::string copy(reinterpret_cast<const char*>(address), bytes);
    ucp_worker_release_address(handle_, address);
    return copy;
  }

  /// Readable when an armed worker has something to do.
  Result<int> event_fd() const {
    int fd = -1;
    const ucs_status_t status = ucp_worker_get_efd(handle_, &fd);
    if (status != UCS_OK) return ucx_error("ucp_worker_get_efd", status);
    return fd;
  }

 private:
  explicit UcxWorker(ucp_worker_h handle) : handle_(handle) {}
  ucp_worker_h handle_;
};

}  // namespace penstock::collectives
