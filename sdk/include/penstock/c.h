#ifndef PENSTOCK_C_H
#define PENSTOCK_C_H

/* The C interface: leases, trainers and executables as opaque handles.
 *
 * Every function that can fail returns a status; penstock_last_error() then has the text, which
 * names the operation, the values and the remedy. A handle that a function gives is freed with its
 * _free, which takes NULL; it keeps what it needs alive, so that handles may be freed in any order.
 * Handles may be used by many threads at once, and freed when no thread uses them any more.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a call; the names of `penstock::ErrorCode`. */
typedef enum penstock_status {
  PENSTOCK_OK = 0,
  PENSTOCK_INVALID_ARGUMENT = 1,
  PENSTOCK_NOT_FOUND = 2,
  PENSTOCK_ALREADY_EXISTS = 3,
  PENSTOCK_UNAUTHENTICATED = 4,
  PENSTOCK_PERMISSION_DENIED = 5,
  PENSTOCK_FAILED_PRECONDITION = 6,
  PENSTOCK_RESOURCE_EXHAUSTED = 7,
  PENSTOCK_DEADLINE_EXCEEDED = 8,
  PENSTOCK_UNAVAILABLE = 9,
  PENSTOCK_CANCELLED = 10,
  PENSTOCK_DATA_LOSS = 11,
  PENSTOCK_UNIMPLEMENTED = 12,
  PENSTOCK_INTERNAL = 13
} penstock_status;

/** Element types; the names of `penstock::DType`. */
typedef enum penstock_dtype {
  PENSTOCK_F32 = 0,
  PENSTOCK_F16 = 1,
  PENSTOCK_BF16 = 2,
  PENSTOCK_F64 = 3,
  PENSTOCK_I8 = 4,
  PENSTOCK_U8 = 5,
  PENSTOCK_I32 = 6,
  PENSTOCK_I64 = 7,
  PENSTOCK_BOOL = 8
} penstock_dtype;

typedef struct penstock_client penstock_client;
typedef struct penstock_lease penstock_lease;
typedef struct penstock_program penstock_program;
typedef struct penstock_trainer penstock_trainer;
typedef struct penstock_executable penstock_executable;
typedef struct penstock_call penstock_call;     /* under way, or answered */
typedef struct penstock_tensor penstock_tensor; /* what a read gave */

/** A dense, row-major array of the caller's, or one that a handle owns. */
typedef struct penstock_array {
  const char* name; /* of an input or output; NULL where there is none */
  penstock_dtype dtype;
  size_t rank;
  const int64_t* shape;
  const void* data;
  size_t bytes;
} penstock_array;

/** What a call of a trainer gave. */
typedef struct penstock_step {
  uint64_t step; /* optimizer steps done so far */
  int64_t rows;  /* of this call's batch */
  double loss;
} penstock_step;

/** The text of this thread's last failure; valid until its next call here. */
const char* penstock_last_error(void);
/** "invalid_argument" */
const char* penstock_status_name(penstock_status status);

/** Connects to a gateway; NULL or "" for url and key: PENSTOCK_URL and PENSTOCK_KEY. */
penstock_status penstock_client_connect(const char* url, const char* key, penstock_client** client);
/** Starts a pool of CPU devices of one's own, which ends with the client. */
penstock_status penstock_client_local(unsigned devices, penstock_client** client);
void penstock_client_free(penstock_client* client);

/** Devices, from now until the lease is released or freed, and its trainers and executables too. */
penstock_status penstock_lease_open(penstock_client* client, unsigned devices,
                                    penstock_lease** lease);
/** Gives the devices back at once; `price_nanos` (may be NULL): the bill in billionths. */
penstock_status penstock_lease_release(penstock_lease* lease, int64_t* price_nanos);
void penstock_lease_free(penstock_lease* lease);

/** Reads a program's text form, which ends with a zero. */
penstock_status penstock_program_parse(const char* text, penstock_program** program);
void penstock_program_free(penstock_program* program);

/** Trains output `loss` of entry `main`. `optimizer`: "adamw" or "sgd"; a learning rate of 0: its
 * own. */
penstock_status penstock_trainer_open(penstock_lease* lease, const penstock_program* program,
                                      const char* loss, const char* optimizer, double learning_rate,
                                      penstock_trainer** trainer);
/** Starts a step on a batch, which is copied. */
penstock_status penstock_trainer_step(penstock_trainer* trainer, const penstock_array* inputs,
                                      size_t input_count, penstock_call** call);
penstock_status penstock_trainer_read(penstock_trainer* trainer, const char* variable,
                                      penstock_tensor** value);
penstock_status penstock_trainer_write(penstock_trainer* trainer, const penstock_array* value);
/** Waits until every call has been answered. */
penstock_status penstock_trainer_finish(penstock_trainer* trainer);
/** Ends every call that has no answer, and all later ones, with PENSTOCK_CANCELLED. */
void penstock_trainer_cancel(penstock_trainer* trainer);
void penstock_trainer_free(penstock_trainer* trainer);

penstock_status penstock_executable_open(penstock_lease* lease, const penstock_program* program,
                                         penstock_executable** executable);
/** Starts a call of an entry (NULL: main). */
penstock_status penstock_executable_run(penstock_executable* executable, const char* entry,
                                        const penstock_array* inputs, size_t input_count,
                                        penstock_call** call);
penstock_status penstock_executable_read(penstock_executable* executable, const char* variable,
                                         penstock_tensor** value);
penstock_status penstock_executable_write(penstock_executable* executable,
                                          const penstock_array* value);
void penstock_executable_cancel(penstock_executable* executable);
void penstock_executable_free(penstock_executable* executable);

/** Waits for the answer, at most `timeout_ms` (0: ten minutes).
 *  Errors: what the call failed with; PENSTOCK_DEADLINE_EXCEEDED, after which it may be waited for
 * again */
penstock_status penstock_call_wait(penstock_call* call, int64_t timeout_ms);
/** Of a trainer's call, after a wait that went well. */
penstock_status penstock_call_step(penstock_call* call, penstock_step* step);
/** An output of an executable's call, after a wait that went well; it is the call's, and lives as
 * long. */
penstock_status penstock_call_output(penstock_call* call, const char* name, penstock_array* output);
/** Whoever waits gets PENSTOCK_CANCELLED at once; the call keeps its effect. */
void penstock_call_cancel(penstock_call* call);
void penstock_call_free(penstock_call* call);

/** What a tensor has; it is the tensor's, and lives as long. */
void penstock_tensor_view(const penstock_tensor* tensor, penstock_array* view);
void penstock_tensor_free(penstock_tensor* tensor);

#ifdef __cplusplus
}
#endif

#endif
