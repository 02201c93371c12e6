/* Who made the others wait: a line in the log where it took long until the world was stopped. */
#ifndef SPGC_GC_MUTATOR_SLOW_STOP_H
#define SPGC_GC_MUTATOR_SLOW_STOP_H

#include <stdbool.h>

#include "gc/mutator/world.h"

/* A stop that took long. */
struct spgc_slow_stop {
  uint64_t ns;    /* from the request until the last thread came */
  char code[400]; /* that its innermost managed frame was in */
};

/* Whether the log should tell of the stop. Reads the frame that the last thread came from. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, struct spgc_stopped_world world);

/* When the others go on. */
void spgc_slow_stop_log(const struct spgc_slow_stop *stop);

#endif
