#ifndef SPGC_GC_MUTATOR_SAFEPOINT_H
#define SPGC_GC_MUTATOR_SAFEPOINT_H

#include "gc/mutator/world.h"
#include "spgc/heap.h"

typedef void (*spgc_stopped_action)(struct spgc_stopped_world world, void *context);

/* A safepoint. False if another thread stopped the world instead. */
bool spgc_safepoint_run(spgc_stopped_action action, void *context);

/* A safepoint. */
void spgc_safepoint_stop_if_asked(struct spgc_mutator *self);

#endif
