/* A collection, from roots to statistics. */
#ifndef SPGC_GC_COLLECT_H
#define SPGC_GC_COLLECT_H

#include "gc/mutator/safepoint.h"

/* Where the system refuses memory for copies, a collection of any kind collects everything in place instead. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind);

#endif
