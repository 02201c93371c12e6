#ifndef SPGC_GC_MUTATOR_SAFEPOINT_H
#define SPGC_GC_MUTATOR_SAFEPOINT_H

#include "gc/mutator/world.h"
#include "spgc/heap.h"

typedef void (*spgc_stopped_action)(struct spgc_stopped_world world, void *context);

/* False if another thread stopped the world instead. At a safepoint. */
bool spgc_safepoint_run(spgc_stopped_action action, void *context);

/* At a safepoint. */
void spgc_safepoint_stop_if_asked(struct spgc_mutator *self);

#endif
