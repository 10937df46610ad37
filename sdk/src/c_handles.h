#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "penstock/c.h"
#include "penstock/penstock.h"

// What stands behind the opaque handles of penstock/c.h.

struct penstock_client {
  penstock::Client client;
};
struct penstock_lease {
  penstock::Lease lease;
};
struct penstock_program {
  penstock::Program program;
};
struct penstock_trainer {
  penstock::Trainer trainer;
};
struct penstock_executable {
  penstock::Executable executable;
};
struct penstock_tensor {
  penstock::Tensor tensor;
};
struct penstock_call {
  std::variant<penstock::Future<penstock::StepResult>, penstock::Future<penstock::RunResult>>
      future;
  std::mutex mutex;
  std::optional<penstock::StepResult> step;  // guarded by mutex; set once
  std::optional<penstock::RunResult> run;    // guarded by mutex; set once
};

namespace penstock::detail {

/// Keeps the error for penstock_last_error; ok otherwise.
penstock_status c_status(const Status& status);

/// Runs `work`, which may throw, as a C function's body.
template <class Work>
penstock_status c_body(Work&& work) {
  return c_status(attempt(std::forward<Work>(work)));
}

/// `text`, which must be there. Errors: Exception naming `what`
std::string c_text(const char* text, const char* what);
void c_check(const void* pointer, const char* what);

Tensor c_tensor(const penstock_array& array);
Tensors c_tensors(const penstock_array* arrays, size_t count);
void c_view(const Tensor& tensor, const char* name, penstock_array* out);

}  // namespace penstock::detail
