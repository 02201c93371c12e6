#include "spgc/profile.h"

#include "gc/inspect.h"
#include "observe/profile/profile.h"
#include "support/cancellation.h"
#include "support/fatal.h"

enum outcome {
  DONE,
  HEAP_IS_STOPPED, /* by spgc_stop, before the world was stopped for the call */
  SAMPLES_ALREADY,
  SAMPLES_NOTHING,
  BELONGS_TO_OPTION,
};

struct change {
  uint64_t mean;
  enum outcome outcome;
  struct spgc_profile_tables tables;
};

static void begin_stopped(struct spgc_stopped_world world, void *context) {
  struct change *change = context;
  change->outcome = !spgc_runtime.started  ? HEAP_IS_STOPPED
                    : spgc_profile_is_on() ? SAMPLES_ALREADY
                                           : DONE;
  if (change->outcome != DONE)
    return;
  spgc_profile_begin(change->mean);
  spgc_world_change_samplers(world);
}

static void end_stopped(struct spgc_stopped_world world, void *context) {
  struct change *change = context;
  change->outcome = !spgc_runtime.started                ? HEAP_IS_STOPPED
                    : !spgc_profile_is_on()              ? SAMPLES_NOTHING
                    : spgc_profile_option_path() != NULL ? BELONGS_TO_OPTION
                                                         : DONE;
  if (change->outcome != DONE)
    return;
  change->tables = spgc_profile_end();
  spgc_world_change_samplers(world);
}

static enum spgc_result report(const char *call, enum outcome outcome, struct spgc_error *error) {
  static const char *const reasons[] = {
      [HEAP_IS_STOPPED] = "the heap is not started",
      [SAMPLES_ALREADY] = "allocations are sampled already; write that profile, and stop it first",
      [SAMPLES_NOTHING] = "nothing is sampled",
      [BELONGS_TO_OPTION] = "the option profile=FILE samples until the heap is stopped",
  };
  return outcome == DONE
             ? SPGC_OK
             : spgc_error_set(error, SPGC_ERROR_STATE, 0, "%s: %s", call, reasons[outcome]);
}

static enum spgc_result refuse(const char *call, const char *reason, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_STATE, 0, "%s: %s", call, reason);
}

static void *load_lines(void *context) {
  SPGC_UNCANCELLED;
  spgc_code_lines_load();
  return context;
}

enum spgc_result spgc_profile_start(size_t bytes, struct spgc_error *error) {
  SPGC_UNCANCELLED;
  struct change change = {.mean = bytes};
  const char *forbids = spgc_any_thread_forbidden();
  if (forbids != NULL)
    return refuse(__func__, forbids, error);
  if (bytes > SPGC_GREATEST_PROFILE_BYTES)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "%s: %zu bytes between two samples; they have to be at most 1 GiB",
                          __func__, bytes);
  spgc_any_thread_call_blocking(load_lines, NULL);
  spgc_any_thread_run_stopped(begin_stopped, &change);
  return report(__func__, change.outcome, error);
}

enum spgc_result spgc_profile_stop(struct spgc_error *error) {
  SPGC_UNCANCELLED;
  struct change change = {.mean = 0};
  const char *forbids = spgc_any_thread_forbidden();
  if (forbids != NULL)
    return refuse(__func__, forbids, error);
  spgc_any_thread_run_stopped(end_stopped, &change);
  spgc_profile_tables_free(&change.tables);
  return report(__func__, change.outcome, error);
}

struct request {
  const char *path;
  struct spgc_error *error;
  enum spgc_result result;
};

static void *write_request(void *argument) {
  static const char call[] = "spgc_profile_write";
  struct request *request = argument;
  struct spgc_profile_capture capture;
  bool is_on;
  SPGC_UNCANCELLED;
  if (spgc_profile_capture_now(&capture, &is_on))
    request->result = spgc_profile_write_capture(&capture, call, request->path, request->error);
  else if (is_on)
    request->result =
        spgc_error_set(request->error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
  else
    request->result = refuse(call,
                             "nothing is sampled; call spgc_profile_start, or start the heap with "
                             "the option profile or profile_bytes",
                             request->error);
  return NULL;
}

enum spgc_result spgc_profile_write(const char *path, struct spgc_error *error) {
  struct request request = {.path = path, .error = error};
  if (path == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "%s: no path is given", __func__);
  const char *forbids = spgc_any_thread_forbidden();
  if (forbids != NULL)
    return refuse(__func__, forbids, error);
  spgc_any_thread_call_blocking(write_request, &request);
  return request.result;
}
