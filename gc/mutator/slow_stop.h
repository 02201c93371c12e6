/* Slow stops: a line in the log names the code of the last thread that stopped, if it took long. */
#ifndef SPGC_GC_MUTATOR_SLOW_STOP_H
#define SPGC_GC_MUTATOR_SLOW_STOP_H

#include <stdbool.h>

#include "gc/mutator/code_name.h"
#include "gc/mutator/world.h"

/* A stop that took long. */
struct spgc_slow_stop {
  uint64_t ns;                  /* from the request until the last thread stopped */
  bool is_managed;              /* that thread had managed frames */
  struct spgc_code_place place; /* of its innermost managed frame */
};

/* Returns whether the stop is to be logged. Reads the innermost managed frame of the last thread.
 */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, struct spgc_stopped_world world);

/* Logs the stop. Called after the world was resumed. */
void spgc_slow_stop_log(const struct spgc_slow_stop *stop);

#endif
