#include "gc/mutator/slow_stop.h"

#include <pthread.h>
#include <string.h>

#include "gc/mutator/code_line.h"
#include "gc/mutator/line_thread.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "support/collector_thread.h"
#include "support/log.h"

enum { DEFAULT_MICROSECONDS = 10000, NANOSECONDS = 1000, MOST_WAITING = 8 };

/* ---- In the stopped world ---- */

static uint64_t least_ns(const struct spgc_options *options) {
  if (options->slow_stop == SPGC_SLOW_STOP_ALWAYS)
    return 0;
  return (uint64_t)(options->slow_stop == 0 ? DEFAULT_MICROSECONDS : options->slow_stop) *
         NANOSECONDS;
}

static bool note_frame(void *return_address, const struct spgc_frame *frame) {
  *(uintptr_t *)return_address = frame->return_address;
  return false;
}

/* The byte before the return address belongs to the call, so its line is the one that the thread
 * was in. The code stays loaded while the world is stopped. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, struct spgc_stopped_world world) {
  const struct spgc_options *options = &spgc_runtime.options;
  uintptr_t return_address = 0;
  stop->ns = world.stopped_ns - world.asked_ns;
  if (options->log < SPGC_LOG_GC || world.last == NULL || stop->ns < least_ns(options))
    return false;
  const struct spgc_stack_visitor visitor = {.context = &return_address, .frame = note_frame};
  spgc_walk_suspended(world.last->stack, &visitor, NULL);
  stop->is_managed = return_address != 0;
  if (stop->is_managed)
    spgc_code_find(return_address - 1, &stop->place);
  return true;
}

/* ---- Afterwards ---- */

typedef void describer(const struct spgc_code_place *place, char *text, size_t size);

struct description {
  char text[440];
};

static struct description describe(const struct spgc_slow_stop *stop, describer *describe_place) {
  struct description description = {"a thread without managed frames"};
  if (stop->is_managed)
    describe_place(&stop->place, description.text, sizeof description.text);
  return description;
}

static void log_stop(const struct spgc_slow_stop *stop, const struct description *description) {
  spgc_log("stop: " SPGC_LOG_DECIMAL " ms until the last thread came from %s",
           SPGC_LOG_MS(stop->ns), description->text);
}

static void log_without_line(const struct spgc_slow_stop *stop) {
  struct description description = describe(stop, spgc_code_describe);
  log_stop(stop, &description);
}

/* All under SPGC_LOCK_SLOW_STOPS. */
static struct {
  struct spgc_slow_stop waiting[MOST_WAITING]; /* to be logged, the oldest first */
  unsigned count;
  uint64_t taken;   /* stops taken from the front so far */
  bool has_logger;  /* a thread runs that will look for further stops */
  bool is_joinable; /* the thread started last was not joined yet */
  pthread_t logger;
  bool exits; /* the process exits */
} stops;

static void take_first(void) {
  stops.taken++;
  memmove(stops.waiting, stops.waiting + 1, --stops.count * sizeof *stops.waiting);
}

/* The stop stays in the queue until its line is found. If the process exits meanwhile, the exit
 * logs it without a line. */
static void log_first(describer *describe_place) {
  struct spgc_slow_stop stop = stops.waiting[0];
  uint64_t number = stops.taken;
  spgc_unlock(SPGC_LOCK_SLOW_STOPS);
  struct description description = describe(&stop, describe_place);
  spgc_lock(SPGC_LOCK_SLOW_STOPS);
  if (stops.taken != number)
    return;
  take_first();
  log_stop(&stop, &description);
}

static void *log_waiting(void *unused) {
  bool has_own_files = spgc_line_thread_own_descriptors() == 0;
  spgc_lock(SPGC_LOCK_SLOW_STOPS);
  while (stops.count != 0)
    log_first(has_own_files ? spgc_code_describe_line : spgc_code_describe);
  stops.has_logger = false;
  spgc_unlock(SPGC_LOCK_SLOW_STOPS);
  return unused;
}

static bool start_logger(void) {
  if (stops.is_joinable)
    pthread_join(stops.logger, NULL); /* it has nothing left to do */
  stops.is_joinable = spgc_collector_thread_start(&stops.logger, "spgc-log",
                                                  SPGC_READER_STACK_BYTES, log_waiting, NULL) == 0;
  return stops.is_joinable;
}

/* Queues a stop for the logging thread. False if it cannot have a line, or cannot be queued; the
 * caller logs it at once then. */
static bool is_left_to_logger(const struct spgc_slow_stop *stop) {
  bool has_line = stop->is_managed && stop->place.file[0] != '\0' && spgc_code_lines_exist();
  if (!has_line || stops.exits || stops.count == MOST_WAITING)
    return false;
  if (!stops.has_logger)
    stops.has_logger = start_logger();
  if (stops.has_logger)
    stops.waiting[stops.count++] = *stop;
  return stops.has_logger;
}

void spgc_slow_stop_log(const struct spgc_slow_stop *stop) {
  spgc_lock(SPGC_LOCK_SLOW_STOPS);
  bool left = is_left_to_logger(stop);
  spgc_unlock(SPGC_LOCK_SLOW_STOPS);
  if (!left)
    log_without_line(stop);
}

__attribute__((destructor)) static void log_the_rest(void) {
  spgc_lock(SPGC_LOCK_SLOW_STOPS);
  stops.exits = true;
  for (; stops.count != 0; take_first())
    log_without_line(&stops.waiting[0]);
  spgc_unlock(SPGC_LOCK_SLOW_STOPS);
}

void spgc_slow_stops_finish(void) {
  spgc_lock(SPGC_LOCK_SLOW_STOPS);
  bool is_joinable = stops.is_joinable;
  pthread_t logger = stops.logger;
  stops.is_joinable = false;
  spgc_unlock(SPGC_LOCK_SLOW_STOPS);
  if (is_joinable)
    pthread_join(logger, NULL);
}

void spgc_slow_stops_forget(void) {
  stops.count = 0;
  stops.has_logger = stops.is_joinable = false;
}
