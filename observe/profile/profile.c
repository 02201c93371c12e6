#include "observe/profile/profile.h"

#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gc/inspect.h"
#include "observe/profile/profile_places.h"
#include "support/clock.h"
#include "support/exponential.h"
#include "support/file_name.h"
#include "support/log.h"

enum { DEFAULT_MEAN = 1 << 19 };

/* Under SPGC_LOCK_SAMPLES. The first members change only while no thread is attached, or with the
 * world stopped. */
static struct {
  uint64_t mean;         /* bytes between samples; 0: off */
  const char *path;      /* the option's, or NULL */
  bool waits_for_signal; /* not written at the end */
  pid_t process;         /* the one that started the heap */
  char name[PATH_MAX];   /* the file written at the end */
  uint64_t start_ns, start_clock_ns;
  struct spgc_profile_tables tables;
  uint64_t dropped; /* for lack of memory */
} profile;

/* Counts the object as 1/p objects, where p is its probability of being sampled. False if out of
 * memory. */
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

/* SPGC_PROFILE_NONE if out of memory. */
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

static void count_live(void *captured, const struct spgc_sampled_object *sampled,
                       uint64_t survived) {
  struct spgc_profile_capture *capture = captured;
  capture->is_taken = count(&capture->tables, sampled, survived, true) && capture->is_taken;
}

/* A copy, so that threads continue to sample while the file is written. False if out of memory.
 * Needs the lock. */
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

bool spgc_profile_capture_now(struct spgc_profile_capture *capture, bool *is_on) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  *is_on = spgc_profile_is_on();
  bool is_taken = *is_on && capture_locked(capture);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  return is_taken;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void spgc_profile_begin(uint64_t mean) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  profile.mean = mean != 0 ? mean : DEFAULT_MEAN;
  profile.path = NULL;
  profile.start_ns = now_ns();
  profile.start_clock_ns = spgc_clock_ns();
  profile.tables = spgc_profile_tables_empty();
  profile.dropped = 0;
  spgc_unlock(SPGC_LOCK_SAMPLES);
  spgc_samplers_begin(profile.mean, take_sample);
  spgc_sampled_objects_start(object_died);
  spgc_code_set_gone_hook(code_goes);
}

struct spgc_profile_tables spgc_profile_end(void) {
  spgc_code_set_gone_hook(NULL);
  spgc_sampled_objects_stop();
  spgc_lock(SPGC_LOCK_SAMPLES);
  struct spgc_profile_tables tables = profile.tables;
  profile.tables = spgc_profile_tables_empty();
  profile.mean = 0;
  profile.path = NULL;
  spgc_unlock(SPGC_LOCK_SAMPLES);
  spgc_samplers_begin(0, NULL);
  return tables;
}

bool spgc_profile_is_on(void) {
  return profile.mean != 0;
}

const char *spgc_profile_option_path(void) {
  return profile.path;
}

void spgc_profile_option_begin(const struct spgc_options *options) {
  spgc_samplers_seed(options->seed);
  if (options->profile == NULL && options->profile_bytes == 0)
    return;
  spgc_profile_begin(options->profile_bytes);
  spgc_lock(SPGC_LOCK_SAMPLES); /* the process may exit */
  profile.path = options->profile;
  profile.process = getpid();
  profile.waits_for_signal = options->profile_signal != 0;
  if (profile.path != NULL)
    spgc_file_name_expand(profile.name, profile.path);
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

/* A forked child continues the profile, and must not overwrite its parent's file. */
static bool is_written_at_end(void) {
  char name[PATH_MAX];
  if (profile.path == NULL || profile.waits_for_signal)
    return false;
  return profile.process == getpid() ||
         (spgc_file_name_expand(name, profile.path) && strcmp(name, profile.name) != 0);
}

/* Needs the lock. */
static void capture_at_end(struct spgc_profile_capture *capture) {
  if (!is_written_at_end())
    return;
  capture->path = profile.path;
  if (!capture_locked(capture))
    spgc_log("profile: %s is not written: out of memory", profile.path);
}

void spgc_profile_option_end(struct spgc_profile_capture *capture) {
  capture->is_taken = false;
  if (!spgc_profile_is_on())
    return;
  spgc_lock(SPGC_LOCK_SAMPLES);
  capture_at_end(capture);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  struct spgc_profile_tables tables = spgc_profile_end();
  spgc_profile_tables_free(&tables);
}

void spgc_profile_finish(struct spgc_profile_capture *capture) {
  struct spgc_error error;
  if (capture->is_taken &&
      spgc_profile_write_capture(capture, "profile", capture->path, &error) != SPGC_OK)
    spgc_log("%s", error.message);
}

/* While the heap is started. */
__attribute__((destructor)) static void write_at_exit(void) {
  struct spgc_profile_capture capture = {.is_taken = false};
  spgc_lock(SPGC_LOCK_SAMPLES);
  if (spgc_profile_is_on())
    capture_at_end(&capture);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  spgc_profile_finish(&capture);
}
