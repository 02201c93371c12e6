/* gc/mutator knows that there are collections, but not how they work. */
#ifndef SPGC_GC_MUTATOR_REQUEST_H
#define SPGC_GC_MUTATOR_REQUEST_H

#include "gc/mutator/safepoint.h"
#include "spgc/events.h"

/* Or waits for another thread's collection that satisfies the request. At a safepoint. */
void spgc_request_collection(enum spgc_collection kind, enum spgc_reason reason);

/* In gc/plan/collect.c, above this folder. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason);

#endif
