#include "gc/mutator/slow_stop.h"

#include <stdio.h>

#include "gc/mutator/placed_line.h"
#include "gc/state/runtime.h"
#include "support/log.h"

enum { DEFAULT_MICROSECONDS = 10000, NANOSECONDS = 1000 };

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

void spgc_slow_stop_log(const struct spgc_slow_stop *stop) {
  struct spgc_placed_line line = {.has_place = stop->is_managed, .place = stop->place};
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " ms until the last thread came from %s",
           SPGC_LOG_MS(stop->ns), stop->is_managed ? "" : "a thread without managed frames");
  spgc_placed_line_log(&line);
}
