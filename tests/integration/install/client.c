#include <math.h>
#include <penstock/c.h>
#include <stdio.h>

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const penstock_status status = (call);                                                         \
    if (status != PENSTOCK_OK) {                                                                   \
      fprintf(stderr, "%s: %s: %s\n", #call, penstock_status_name(status), penstock_last_error()); \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)
#define EXPECT(condition)                                \
  do {                                                   \
    if (!(condition)) {                                  \
      fprintf(stderr, "it is not so: %s\n", #condition); \
      return 1;                                          \
    }                                                    \
  } while (0)

/* The mean of (x w - t)^2. */
static const char* kProgram =
    "penstock program 1\n"
    "seed 1\n"
    "variable w: f32[2,1] trainable constant(0.0)\n"
    "entry main {\n"
    "  %0: f32[<=4,2] = input x\n"
    "  %1: f32[<=4,1] = input t\n"
    "  %2: f32[2,1] = read w\n"
    "  %3: f32[<=4,1] = matmul(%0, %2) {transpose_lhs=false, transpose_rhs=false}\n"
    "  %4: f32[<=4,1] = subtract(%3, %1)\n"
    "  %5: f32[<=4,1] = multiply(%4, %4)\n"
    "  %6: f32[] = mean(%5) {dims=[0,1], of=0}\n"
    "  output loss = %6\n"
    "  output y = %3\n"
    "}\n";

int main(void) {
  const float x[] = {1, 2, 3, 4}, t[] = {1, 2};
  const int64_t x_shape[] = {2, 2}, t_shape[] = {2, 1};
  const penstock_array inputs[] = {{"x", PENSTOCK_F32, 2, x_shape, x, sizeof x},
                                   {"t", PENSTOCK_F32, 2, t_shape, t, sizeof t}};
  penstock_client* client = NULL;
  penstock_lease* lease = NULL;
  penstock_program* program = NULL;
  penstock_trainer* trainer = NULL;
  penstock_executable* executable = NULL;
  penstock_call* call = NULL;
  penstock_tensor* w = NULL;
  penstock_step step;
  penstock_array view;
  int64_t price = 0;

  EXPECT(penstock_program_parse("nonsense", &program) == PENSTOCK_INVALID_ARGUMENT);
  EXPECT(penstock_last_error()[0] != 0);
  TRY(penstock_client_local(1, &client));
  TRY(penstock_lease_open(client, 1, &lease));
  TRY(penstock_program_parse(kProgram, &program));

  /* By hand: loss (1 + 4) / 2; gradient -(1*1 + 3*2, 2*1 + 4*2). */
  TRY(penstock_trainer_open(lease, program, "loss", "sgd", 0.01, &trainer));
  TRY(penstock_trainer_step(trainer, inputs, 2, &call));
  TRY(penstock_call_wait(call, 0));
  TRY(penstock_call_step(call, &step));
  EXPECT(step.step == 1 && step.rows == 2 && fabs(step.loss - 2.5) < 1e-6);
  penstock_call_free(call);
  TRY(penstock_trainer_read(trainer, "w", &w));
  penstock_tensor_view(w, &view);
  EXPECT(view.rank == 2 && view.shape[0] == 2 && view.bytes == 8);
  EXPECT(fabs(((const float*)view.data)[0] - 0.07) < 1e-6);
  EXPECT(fabs(((const float*)view.data)[1] - 0.10) < 1e-6);
  EXPECT(penstock_trainer_step(trainer, inputs, 1, &call) == PENSTOCK_INVALID_ARGUMENT);

  TRY(penstock_executable_open(lease, program, &executable));
  view.name = "w";
  TRY(penstock_executable_write(executable, &view));
  TRY(penstock_executable_run(executable, NULL, inputs, 2, &call));
  TRY(penstock_call_wait(call, 60000));
  TRY(penstock_call_output(call, "y", &view));
  EXPECT(fabs(((const float*)view.data)[1] - 0.61) < 1e-6);
  EXPECT(penstock_call_output(call, "z", &view) == PENSTOCK_NOT_FOUND);
  penstock_call_free(call);

  penstock_trainer_cancel(trainer);
  EXPECT(penstock_trainer_finish(trainer) == PENSTOCK_CANCELLED);
  TRY(penstock_lease_release(lease, &price));
  EXPECT(price > 0);
  penstock_tensor_free(w);
  penstock_executable_free(executable);
  penstock_trainer_free(trainer);
  penstock_program_free(program);
  penstock_lease_free(lease);
  penstock_client_free(client);
  puts("done");
  return 0;
}
