#pragma once

#include <uv.h>

#include <utility>

namespace penstock::net {

/// Owns one libuv handle. libuv uses the memory until the close callback, which a later turn of
/// the loop runs, so the handle lives on the heap and is freed there.
template <class Handle>
class UvHandle {
 public:
  UvHandle() : handle_(new Handle()) {}
  UvHandle(const UvHandle&) = delete;
  UvHandle& operator=(const UvHandle&) = delete;
  ~UvHandle() {
    if (handle_ == nullptr) return;
    if (!open_) {
      delete handle_;
      return;
    }
    handle_->data = nullptr;
    uv_close(as_base(), [](uv_handle_t* h) { delete reinterpret_cast<Handle*>(h); });
  }

  /// Says that `uv_*_init` succeeded, so that the loop knows the handle from now on.
  void opened(void* data) {
    open_ = true;
    handle_->data = data;
  }
  bool active() const { return uv_is_active(as_base()) != 0; }
  Handle* get() const { return handle_; }

 private:
  uv_handle_t* as_base() const { return reinterpret_cast<uv_handle_t*>(handle_); }

  Handle* handle_;
  bool open_ = false;
};

}  // namespace penstock::net
