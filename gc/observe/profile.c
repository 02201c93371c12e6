#include "gc/observe/profile.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gc/mutator/code_line.h"
#include "gc/mutator/code_name.h"
#include "gc/mutator/mutator.h"
#include "gc/mutator/sampler.h"
#include "gc/observe/output.h"
#include "gc/observe/profile_places.h"
#include "gc/state/file_name.h"
#include "gc/state/locks.h"
#include "gc/state/log.h"
#include "gc/weak/sampled_object.h"
#include "spgc/profile.h"
#include "spgc/thread.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/exponential.h"

enum { DEFAULT_MEAN = 1 << 19 };

/* Under SPGC_LOCK_SAMPLES. The first members change only while no thread is attached. */
static struct {
  uint64_t mean;       /* bytes between two samples; 0: nothing is sampled */
  const char *path;    /* the file at the end, or NULL */
  pid_t process;       /* that started the heap */
  char name[PATH_MAX]; /* of the file at the end of that process */
  uint64_t start_ns, start_clock_ns;
  struct spgc_profile_tables tables;
  uint64_t dropped; /* samples that there was no memory for */
} profile;

/* ---- Samples ---- */

/* Adds what the sampled object stands for: as many objects as it has the chance of being sampled,
 * inverted. False when there is no memory. */
static bool count(struct spgc_profile_tables *tables, const struct spgc_sampled_object *sampled,
                  uint64_t survived, bool is_live) {
  const struct spgc_profile_key key = {sampled->stack, sampled->type,
                                       spgc_profile_round_survived(survived)};
  struct spgc_profile_counts *counts = spgc_profile_counts_of(tables, &key);
  double bytes = (double)sampled->bytes;
  double chance =
      profile.mean == 1 ? 1 : spgc_exponential_probability(bytes / (double)profile.mean);
  if (counts == NULL)
    return false;
  counts->allocated_objects += 1 / chance;
  counts->allocated_bytes += bytes / chance;
  counts->live_objects += is_live ? 1 / chance : 0;
  counts->live_bytes += is_live ? bytes / chance : 0;
  return true;
}

static void object_died(void *context, const struct spgc_sampled_object *sampled,
                        uint64_t survived) {
  profile.dropped += !count(&profile.tables, sampled, survived, false);
}

/* The number of the stack, or SPGC_PROFILE_NONE when there is no memory. */
static uint32_t stack_number(const struct spgc_sample *sample) {
  uint32_t places[SPGC_SAMPLE_CALLS];
  for (size_t i = 0; i < sample->call_count; i++) {
    places[i] = spgc_profile_place_number(&profile.tables, &sample->calls[i]);
    if (places[i] == SPGC_PROFILE_NONE)
      return SPGC_PROFILE_NONE;
  }
  return spgc_sequence_number(&profile.tables.stacks, places, sample->call_count * sizeof *places);
}

static bool add_sample(const struct spgc_sample *sample) {
  const char *name = sample->type->name != NULL ? sample->type->name : "unnamed type";
  const struct spgc_sampled_object sampled = {.stack = stack_number(sample),
                                              .type = spgc_profile_string(&profile.tables, name),
                                              .bytes = sample->bytes};
  return sampled.stack != SPGC_PROFILE_NONE && sampled.type != SPGC_PROFILE_NONE &&
         spgc_sampled_objects_add(sample->object, &sampled);
}

static void take_sample(const struct spgc_sample *sample) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  profile.dropped += !add_sample(sample);
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

static void code_goes(uintptr_t start, uintptr_t end) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  spgc_profile_places_retire(&profile.tables, start, end);
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

/* ---- Capture ---- */

static void count_live(void *captured, const struct spgc_sampled_object *sampled,
                       uint64_t survived) {
  struct spgc_profile_capture *capture = captured;
  capture->is_taken = count(&capture->tables, sampled, survived, true) && capture->is_taken;
}

/* Copies the tables, so that threads go on sampling while the file is written. False when the
 * process is out of memory. The caller holds the lock. */
static bool capture_locked(struct spgc_profile_capture *capture) {
  capture->facts =
      (struct spgc_pprof_facts){.period = profile.mean,
                                .start_ns = profile.start_ns,
                                .duration_ns = spgc_clock_ns() - profile.start_clock_ns,
                                .dropped_samples = profile.dropped};
  capture->is_taken = spgc_profile_tables_copy(&capture->tables, &profile.tables);
  if (!capture->is_taken)
    return false;
  spgc_sampled_objects_each(count_live, capture);
  if (!capture->is_taken)
    spgc_profile_tables_free(&capture->tables);
  return capture->is_taken;
}

/* ---- The file ---- */

/* `call` begins messages. */
static enum spgc_result write_bytes(const struct spgc_protobuf *message, const char *call,
                                    const char *path, struct spgc_error *error) {
  struct spgc_output *output = malloc(sizeof *output);
  if (output == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
  enum spgc_result result = SPGC_OK;
  bool is_written = spgc_output_begin(output, path);
  if (is_written) {
    spgc_output_write(output, message->bytes, message->length);
    is_written = spgc_output_finish(output);
  }
  if (!is_written)
    result = spgc_output_report(output, call, path, error);
  free(output);
  return result;
}

/* Writes the capture, and frees it. */
static enum spgc_result write_capture(struct spgc_profile_capture *capture, const char *call,
                                      const char *path, struct spgc_error *error) {
  struct spgc_protobuf message = {0};
  enum spgc_result result;
  if (spgc_pprof_write(&message, &capture->tables, &capture->facts))
    result = write_bytes(&message, call, path, error);
  else
    result = spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
  if (capture->facts.dropped_samples != 0)
    spgc_log("profile: samples dropped for want of memory: %" PRIu64 "; its figures are too small",
             capture->facts.dropped_samples);
  spgc_protobuf_free(&message);
  spgc_profile_tables_free(&capture->tables);
  return result;
}

struct request {
  const char *path;
  struct spgc_error *error;
  enum spgc_result result;
};

static void *write_request(void *argument) {
  struct request *request = argument;
  struct spgc_profile_capture capture;
  SPGC_UNCANCELLED;
  spgc_lock(SPGC_LOCK_SAMPLES);
  bool is_on = profile.mean != 0, is_taken = is_on && capture_locked(&capture);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  if (!is_on)
    request->result =
        spgc_error_set(request->error, SPGC_ERROR_STATE, 0,
                       "spgc_profile_write: nothing is sampled; start the heap with the option "
                       "profile or profile_bytes");
  else if (!is_taken)
    request->result = spgc_error_set(request->error, SPGC_ERROR_NO_MEMORY, 0,
                                     "spgc_profile_write: out of memory");
  else
    request->result = write_capture(&capture, "spgc_profile_write", request->path, request->error);
  return NULL;
}

enum spgc_result spgc_profile_write(const char *path, struct spgc_error *error) {
  struct request request = {.path = path, .error = error};
  spgc_require(path != NULL, "spgc_profile_write: no path is given");
  if (spgc_mutator_current != NULL)
    spgc_call_blocking(write_request, &request);
  else
    write_request(&request);
  return request.result;
}

/* ---- Start and end ---- */

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void spgc_profile_start(const struct spgc_options *options) {
  bool is_on = options->profile != NULL || options->profile_bytes != 0;
  uint64_t mean = options->profile_bytes != 0 ? options->profile_bytes : DEFAULT_MEAN;
  spgc_lock(SPGC_LOCK_SAMPLES);
  profile.mean = is_on ? mean : 0;
  profile.path = options->profile;
  profile.process = getpid();
  if (profile.path != NULL)
    spgc_file_name_expand(profile.name, profile.path);
  profile.start_ns = now_ns();
  profile.start_clock_ns = spgc_clock_ns();
  profile.tables = spgc_profile_tables_empty();
  profile.dropped = 0;
  spgc_unlock(SPGC_LOCK_SAMPLES);
  spgc_samplers_start(profile.mean, options->seed, take_sample);
  spgc_sampled_objects_start(is_on ? object_died : NULL);
  spgc_code_set_gone_hook(is_on ? code_goes : NULL);
}

bool spgc_profile_is_on(void) {
  return profile.mean != 0;
}

/* A forked child goes on with the profile, and must not write over the file of its parent. */
static bool is_written_at_end(void) {
  char name[PATH_MAX];
  if (profile.path == NULL)
    return false;
  return profile.process == getpid() ||
         (spgc_file_name_expand(name, profile.path) && strcmp(name, profile.name) != 0);
}

void spgc_profile_stop(struct spgc_profile_capture *capture) {
  capture->is_taken = false;
  if (profile.mean == 0)
    return;
  spgc_code_set_gone_hook(NULL);
  spgc_lock(SPGC_LOCK_SAMPLES);
  capture->path = is_written_at_end() ? profile.path : NULL;
  if (capture->path != NULL && !capture_locked(capture))
    spgc_log("profile: %s is not written: out of memory", profile.path);
  spgc_profile_tables_free(&profile.tables);
  profile.mean = 0;
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

void spgc_profile_finish(struct spgc_profile_capture *capture) {
  struct spgc_error error;
  if (capture->is_taken && write_capture(capture, "profile", capture->path, &error) != SPGC_OK)
    spgc_log("%s", error.message);
}

/* The process exits while the heap is started. */
__attribute__((destructor)) static void write_at_exit(void) {
  struct spgc_profile_capture capture = {.is_taken = false};
  spgc_lock(SPGC_LOCK_SAMPLES);
  if (profile.mean != 0 && is_written_at_end()) {
    capture.path = profile.path;
    if (!capture_locked(&capture))
      spgc_log("profile: %s is not written: out of memory", profile.path);
  }
  spgc_unlock(SPGC_LOCK_SAMPLES);
  spgc_profile_finish(&capture);
}
