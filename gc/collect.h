/* A collection, from roots to statistics. */
#ifndef SPGC_GC_COLLECT_H
#define SPGC_GC_COLLECT_H

#include "gc/safepoint.h"

/* False when there is no memory for the copies; nothing has changed then. */
bool spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind);

#endif
