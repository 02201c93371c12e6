/* How gc/mutator asks for collections. */
#ifndef SPGC_GC_MUTATOR_REQUEST_H
#define SPGC_GC_MUTATOR_REQUEST_H

#include "gc/mutator/safepoint.h"
#include "spgc/events.h"

/* May wait for another thread's collection that satisfies the request. A safepoint. */
void spgc_request_collection(enum spgc_collection kind, enum spgc_reason reason);

/* Defined in gc/plan/collect.c, above this folder. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason);

#endif
