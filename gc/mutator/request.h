/* Requests of mutators to the collector. gc/mutator knows that there are collections, but not how
 * one works. */
#ifndef SPGC_GC_MUTATOR_REQUEST_H
#define SPGC_GC_MUTATOR_REQUEST_H

#include "gc/mutator/safepoint.h"
#include "spgc/events.h"

/* Collects, or waits for a collection by another thread that satisfies the request. The calling
 * thread is at a safepoint. */
void spgc_request_collection(enum spgc_collection kind, enum spgc_reason reason);

/* Defined by gc/plan/collect.c, which is above this folder. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind,
                          enum spgc_reason reason);

#endif
