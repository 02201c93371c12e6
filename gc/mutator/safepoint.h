#ifndef SPGC_GC_MUTATOR_SAFEPOINT_H
#define SPGC_GC_MUTATOR_SAFEPOINT_H

#include "gc/mutator/world.h"
#include "spgc/heap.h"

typedef void (*spgc_stopped_action)(struct spgc_stopped_world world, void *context);

/* Runs the action with the world stopped; false if another thread stopped it instead. The calling
 * thread is at a safepoint. */
bool spgc_safepoint_run(spgc_stopped_action action, void *context);

/* Waits if the calling thread, which is at a safepoint, is asked to stop. */
void spgc_safepoint_stop_if_asked(struct spgc_mutator *self);

#endif
