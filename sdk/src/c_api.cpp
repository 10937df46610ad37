#include <chrono>

#include "sdk/src/c_handles.h"

using namespace penstock;
using namespace penstock::detail;

namespace {

std::string or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

}  // namespace

penstock_status penstock_client_connect(const char* url, const char* key,
                                        penstock_client** client) {
  return c_body([&] {
    c_check(client, "client");
    *client = new penstock_client{Client::connect({.url = or_empty(url), .key = or_empty(key)})};
  });
}

penstock_status penstock_client_local(unsigned devices, penstock_client** client) {
  return c_body([&] {
    c_check(client, "client");
    *client = new penstock_client{Client::local({.devices = devices})};
  });
}

void penstock_client_free(penstock_client* client) {
  delete client;
}

penstock_status penstock_lease_open(penstock_client* client, unsigned devices,
                                    penstock_lease** lease) {
  return c_body([&] {
    c_check(client, "client");
    c_check(lease, "lease");
    *lease = new penstock_lease{client->client.lease({.devices = devices})};
  });
}

penstock_status penstock_lease_release(penstock_lease* lease, int64_t* price_nanos) {
  return c_body([&] {
    c_check(lease, "lease");
    const Bill bill = lease->lease.release();
    if (price_nanos != nullptr) *price_nanos = bill.total.nanos;
  });
}

void penstock_lease_free(penstock_lease* lease) {
  delete lease;
}

penstock_status penstock_program_parse(const char* text, penstock_program** program) {
  return c_body([&] {
    c_check(program, "program");
    *program = new penstock_program{Program::from_text(c_text(text, "the program's text"))};
  });
}

void penstock_program_free(penstock_program* program) {
  delete program;
}

penstock_status penstock_trainer_open(penstock_lease* lease, const penstock_program* program,
                                      const char* loss, const char* optimizer, double learning_rate,
                                      penstock_trainer** trainer) {
  return c_body([&] {
    c_check(lease, "lease");
    c_check(program, "program");
    c_check(trainer, "trainer");
    const Value value = program->program.output_value("main", c_text(loss, "loss"));
    TrainOptions options;
    options.optimizer = optimizer_by_name(c_text(optimizer, "optimizer"), learning_rate);
    *trainer = new penstock_trainer{lease->lease.train(value, options)};
  });
}

penstock_status penstock_trainer_step(penstock_trainer* trainer, const penstock_array* inputs,
                                      size_t input_count, penstock_call** call) {
  return c_body([&] {
    c_check(trainer, "trainer");
    c_check(call, "call");
    *call = new penstock_call{trainer->trainer.step(c_tensors(inputs, input_count)), {}, {}, {}};
  });
}

penstock_status penstock_trainer_read(penstock_trainer* trainer, const char* variable,
                                      penstock_tensor** value) {
  return c_body([&] {
    c_check(trainer, "trainer");
    c_check(value, "value");
    *value = new penstock_tensor{trainer->trainer.read(c_text(variable, "variable"))};
  });
}

penstock_status penstock_trainer_write(penstock_trainer* trainer, const penstock_array* value) {
  return c_body([&] {
    c_check(trainer, "trainer");
    c_check(value, "value");
    trainer->trainer.write(c_text(value->name, "the variable's name"), c_tensor(*value));
  });
}

penstock_status penstock_trainer_finish(penstock_trainer* trainer) {
  return c_body([&] {
    c_check(trainer, "trainer");
    trainer->trainer.finish();
  });
}

void penstock_trainer_cancel(penstock_trainer* trainer) {
  if (trainer != nullptr) trainer->trainer.cancel();
}

void penstock_trainer_free(penstock_trainer* trainer) {
  delete trainer;
}

penstock_status penstock_executable_open(penstock_lease* lease, const penstock_program* program,
                                         penstock_executable** executable) {
  return c_body([&] {
    c_check(lease, "lease");
    c_check(program, "program");
    c_check(executable, "executable");
    *executable = new penstock_executable{lease->lease.load(program->program)};
  });
}

penstock_status penstock_executable_run(penstock_executable* executable, const char* entry,
                                        const penstock_array* inputs, size_t input_count,
                                        penstock_call** call) {
  return c_body([&] {
    c_check(executable, "executable");
    c_check(call, "call");
    const std::string name = entry == nullptr ? "main" : entry;
    *call = new penstock_call{
        executable->executable.run(name, c_tensors(inputs, input_count)), {}, {}, {}};
  });
}

penstock_status penstock_executable_read(penstock_executable* executable, const char* variable,
                                         penstock_tensor** value) {
  return c_body([&] {
    c_check(executable, "executable");
    c_check(value, "value");
    *value = new penstock_tensor{executable->executable.read(c_text(variable, "variable"))};
  });
}

penstock_status penstock_executable_write(penstock_executable* executable,
                                          const penstock_array* value) {
  return c_body([&] {
    c_check(executable, "executable");
    c_check(value, "value");
    executable->executable.write(c_text(value->name, "the variable's name"), c_tensor(*value));
  });
}

void penstock_executable_cancel(penstock_executable* executable) {
  if (executable != nullptr) executable->executable.cancel();
}

void penstock_executable_free(penstock_executable* executable) {
  delete executable;
}

penstock_status penstock_call_wait(penstock_call* call, int64_t timeout_ms) {
  return c_body([&] {
    c_check(call, "call");
    constexpr std::int64_t kTimeoutMsMax = std::int64_t{1} << 40;
    if (timeout_ms < 0 || timeout_ms > kTimeoutMsMax)
      throw Exception(invalid("a timeout of " + std::to_string(timeout_ms) + " ms"));
    const Nanoseconds deadline =
        timeout_ms == 0 ? kDefaultCallDeadline : Nanoseconds(std::chrono::milliseconds(timeout_ms));
    if (const auto* step = std::get_if<Future<StepResult>>(&call->future)) {
      StepResult result = step->get(deadline);
      std::lock_guard lock(call->mutex);
      if (!call->step) call->step.emplace(std::move(result));
    } else {
      RunResult result = std::get<Future<RunResult>>(call->future).get(deadline);
      std::lock_guard lock(call->mutex);
      if (!call->run) call->run.emplace(std::move(result));
    }
  });
}

penstock_status penstock_call_step(penstock_call* call, penstock_step* step) {
  return c_body([&] {
    c_check(call, "call");
    c_check(step, "step");
    std::lock_guard lock(call->mutex);
    if (!call->step)
      throw Exception({ErrorCode::failed_precondition,
                       "it is no step that has been waited for; call penstock_call_wait first"});
    *step = {call->step->step, call->step->rows, call->step->loss};
  });
}

penstock_status penstock_call_output(penstock_call* call, const char* name,
                                     penstock_array* output) {
  return c_body([&] {
    c_check(call, "call");
    c_check(output, "output");
    std::lock_guard lock(call->mutex);
    if (!call->run)
      throw Exception({ErrorCode::failed_precondition,
                       "it is no run that has been waited for; call penstock_call_wait first"});
    const std::string key = c_text(name, "the output's name");
    const Tensor& tensor = (*call->run)[key];
    c_view(tensor, call->run->outputs.find(key)->first.c_str(), output);
  });
}

void penstock_call_cancel(penstock_call* call) {
  if (call == nullptr) return;
  std::visit([](const auto& future) { future.cancel(); }, call->future);
}

void penstock_call_free(penstock_call* call) {
  delete call;
}

void penstock_tensor_view(const penstock_tensor* tensor, penstock_array* view) {
  if (tensor != nullptr && view != nullptr) c_view(tensor->tensor, nullptr, view);
}

void penstock_tensor_free(penstock_tensor* tensor) {
  delete tensor;
}
