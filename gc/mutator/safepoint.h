/* Where a mutator may be stopped, and what may happen while all are. */
#ifndef SPGC_GC_MUTATOR_SAFEPOINT_H
#define SPGC_GC_MUTATOR_SAFEPOINT_H

#include "gc/mutator/world.h"
#include "spgc/heap.h"

typedef void (*spgc_stopped_action)(struct spgc_stopped_world world, void *context);

/* The calling thread is at a safepoint: it stops the world, does the action, and lets the world go
 * on. False when another thread stopped the world instead; the action was not done then. */
bool spgc_safepoint_run(spgc_stopped_action action, void *context);

/* The calling thread is at a safepoint: waits there if it is asked to. */
void spgc_safepoint_stop_if_asked(struct spgc_mutator *self);

#endif
