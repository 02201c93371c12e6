#include "gc/mutator/slow_stop.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/mutator/code_name.h"
#include "gc/state/log.h"
#include "gc/state/runtime.h"

enum { DEFAULT_MICROSECONDS = 10000, NANOSECONDS = 1000 };

static uint64_t least_ns(const struct spgc_options *options) {
  if (options->slow_stop == SPGC_SLOW_STOP_ALWAYS)
    return 0;
  return (uint64_t)(options->slow_stop == 0 ? DEFAULT_MICROSECONDS : options->slow_stop) * NANOSECONDS;
}

static bool note_frame(void *return_address, const struct spgc_frame *frame) {
  *(uintptr_t *)return_address = frame->return_address;
  return false;
}

/* The byte before the return address is the call's: its line is the one the thread was in. Its code
 * is loaded as long as the world is stopped. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, struct spgc_stopped_world world) {
  const struct spgc_options *options = &spgc_runtime.options;
  uintptr_t return_address = 0;
  stop->ns = world.stopped_ns - world.asked_ns;
  if (!options->log || world.last == NULL || stop->ns < least_ns(options))
    return false;
  const struct spgc_stack_visitor visitor = {.context = &return_address, .frame = note_frame};
  spgc_walk_suspended(world.last->stack, &visitor, NULL);
  if (return_address != 0)
    spgc_code_describe(return_address - 1, stop->code, sizeof stop->code);
  else
    snprintf(stop->code, sizeof stop->code, "a thread without managed frames");
  return true;
}

void spgc_slow_stop_log(const struct spgc_slow_stop *stop) {
  spgc_log("stop: %" PRIu64 ".%03" PRIu64 " ms until the last thread came from %s", stop->ns / 1000000,
           stop->ns / 1000 % 1000, stop->code);
}
