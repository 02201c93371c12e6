/* Who made the others wait: a line in the log where it took long until the world was stopped.
 *
 * Source lines are looked for by a thread of their own, which delays nobody and holds no descriptor
 * of the program's; it ends when all is told, and spgc_stop waits for that. What it has not told
 * when the process exits is told then, without lines. */
#ifndef SPGC_GC_MUTATOR_SLOW_STOP_H
#define SPGC_GC_MUTATOR_SLOW_STOP_H

#include <stdbool.h>

#include "gc/mutator/code_name.h"
#include "gc/mutator/world.h"

/* A stop that took long. */
struct spgc_slow_stop {
  uint64_t ns;                  /* from the request until the last thread came */
  bool is_managed;              /* that thread had managed frames */
  struct spgc_code_place place; /* of its innermost one */
};

/* Whether the log should tell of the stop. Reads the frame that the last thread came from. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, struct spgc_stopped_world world);

/* When the others go on. */
void spgc_slow_stop_log(const struct spgc_slow_stop *stop);

/* Returns when all is told, and no thread that tells is left. Without locks. */
void spgc_slow_stops_finish(void);

/* In the child of a fork, with SPGC_LOCK_SLOW_STOPS: the parent tells of the stops there were. */
void spgc_slow_stops_forget(void);

#endif
