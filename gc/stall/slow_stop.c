#include "gc/stall/slow_stop.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/naming/line_thread.h"
#include "gc/naming/placed_line.h"
#include "gc/state/runtime.h"
#include "support/log.h"

enum {
  DEFAULT_HANG_MICROSECONDS = 1000000,
  NANOSECONDS = 1000,
};

/* ---- A stop that took long ---- */

static uint64_t least_ns(const struct spgc_options *options) {
  if (options->slow_stop_us == SPGC_SLOW_STOP_ALWAYS)
    return 0;
  return options->slow_stop_us == 0 ? SPGC_LEAST_LOGGED_NS
                                    : (uint64_t)options->slow_stop_us * NANOSECONDS;
}

static bool note_frame(void *return_address, const struct spgc_frame *frame) {
  *(uintptr_t *)return_address = frame->return_address;
  return false;
}

/* The byte before the return address belongs to the call. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, uint64_t ns,
                         const struct spgc_suspended_stack *last) {
  const struct spgc_options *options = &spgc_runtime.options;
  uintptr_t return_address = 0;
  if (options->log < SPGC_LOG_GC || last == NULL || ns < least_ns(options))
    return false;
  const struct spgc_stack_visitor visitor = {.context = &return_address, .frame = note_frame};
  spgc_walk_suspended(last, &visitor, NULL);
  stop->ns = ns;
  stop->is_managed = return_address != 0;
  if (stop->is_managed)
    spgc_code_find(return_address - 1, &stop->place);
  return true;
}

void spgc_slow_stop_log(const struct spgc_slow_stop *stop) {
  struct spgc_placed_line line = {.has_place = stop->is_managed, .place = stop->place};
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " ms until the last thread came from %s",
           SPGC_LOG_MS(stop->ns), stop->is_managed ? "" : "a thread without managed frames");
  spgc_placed_line_log(&line);
}

/* ---- A stop that seems to have no end ---- */

uint64_t spgc_endless_stop_ns(void) {
  uint32_t given = spgc_runtime.options.hang_us;
  if (given == SPGC_HANG_OFF)
    return UINT64_MAX;
  return (uint64_t)(given == 0 ? DEFAULT_HANG_MICROSECONDS : given) * NANOSECONDS;
}

static void look(void *awaited) {
  spgc_awaited_thread_look(awaited);
}

void spgc_endless_stop_tell(struct spgc_awaited_thread *awaited, uint64_t waited_ns) {
  spgc_line_thread_call(look, awaited);
  struct spgc_placed_line line = {.is_urgent = true,
                                  .loads_reader = !awaited->is_in_loader,
                                  .has_place = awaited->has_place,
                                  .place = awaited->place,
                                  .after = SPGC_HANG_ADVICE};
  bool is_called = awaited->has_place && awaited->inside[0] != '\0';
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " s so far, waiting for thread %" PRIu64
           " (system thread %d) in %s%s%s",
           SPGC_LOG_SECONDS(waited_ns), awaited->number, (int)awaited->thread, awaited->inside,
           is_called ? ", called by " : "",
           awaited->has_place || awaited->inside[0] != '\0' ? ""
                                                            : "code that cannot be identified");
  spgc_placed_line_log(&line);
}
