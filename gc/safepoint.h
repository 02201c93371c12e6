/* Where a mutator may be stopped, and what may happen while all are. */
#ifndef SPGC_GC_SAFEPOINT_H
#define SPGC_GC_SAFEPOINT_H

#include <stdbool.h>

#include "gc/mutator.h"
#include "spgc/heap.h"

/* Witness that every mutator is at a safepoint: what needs that takes one. */
struct spgc_stopped_world {
  struct spgc_mutator *mutators; /* the attached thread, which collects */
};

/* Collects with the world stopped. The calling thread is at a safepoint. False when there is no memory for the copies;
 * nothing has changed then. */
bool spgc_safepoint_collect(enum spgc_collection kind);

#endif
