#include "gc/mutator/long_wait.h"

#include <stdio.h>

#include "gc/mutator/awaited_thread.h"
#include "gc/mutator/line_thread.h"
#include "gc/mutator/placed_line.h"
#include "gc/state/runtime.h"
#include "support/log.h"

enum { DEFAULT_HANG_MICROSECONDS = 1000000, NANOSECONDS = 1000 };

static const char advice[] = ": see \"Why does it hang?\" in docs/debugging.md";

uint64_t spgc_long_wait_ns(void) {
  uint64_t given = spgc_runtime.options.hang;
  if (given > UINT64_MAX / NANOSECONDS)
    return UINT64_MAX;
  return (given == 0 ? DEFAULT_HANG_MICROSECONDS : given) * NANOSECONDS;
}

static void look(void *awaited) {
  spgc_awaited_thread_look(awaited);
}

void spgc_long_wait_tell(const struct spgc_mutator *mutator, uint64_t waited_ns) {
  struct spgc_awaited_thread awaited = {.thread = mutator->system_thread,
                                        .stack_base = mutator->stack_base};
  spgc_line_thread_call(look, &awaited);
  struct spgc_placed_line line = {.is_urgent = true,
                                  .loads_reader = !awaited.is_in_loader,
                                  .has_place = awaited.has_place,
                                  .place = awaited.place};
  bool is_called = awaited.has_place && awaited.inside[0] != '\0';
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " s so far, waiting for thread %" PRIu64
           " (system thread %d) in %s%s%s",
           SPGC_LOG_SECONDS(waited_ns), mutator->number, (int)mutator->system_thread,
           awaited.inside, is_called ? ", called by " : "",
           awaited.has_place || awaited.inside[0] != '\0' ? "" : "code that cannot be seen");
  snprintf(line.after, sizeof line.after, "%s", advice);
  spgc_placed_line_log(&line);
}

void spgc_many_handles_tell(size_t count, void *return_address) {
  struct spgc_placed_line line = {.has_place = true, .is_urgent = true, .loads_reader = true};
  if (spgc_runtime.options.hang == SPGC_HANG_OFF)
    return;
  spgc_code_find((uintptr_t)return_address - 1, &line.place);
  snprintf(line.before, sizeof line.before,
           "thread %" PRIu64 " has %zu scoped handles, so a scope may be open that should be "
           "closed. The last one was made by ",
           spgc_mutator_self()->number, count);
  snprintf(line.after, sizeof line.after, "%s", advice);
  spgc_placed_line_log(&line);
}
