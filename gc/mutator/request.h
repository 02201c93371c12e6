/* What mutators ask the collector for. They know that there are collections, not how one is made.
 */
#ifndef SPGC_GC_MUTATOR_REQUEST_H
#define SPGC_GC_MUTATOR_REQUEST_H

#include "gc/mutator/safepoint.h"

/* The calling thread is at a safepoint. Ends after a collection, by this thread or another; or
 * without when there is no memory for the copies. */
void spgc_request_collection(enum spgc_collection kind);

/* Makes a collection. Where the system refuses memory for copies, one of any kind collects
 * everything in place instead. Defined by gc/collect.c, which stands above this room. */
void spgc_collect_stopped(struct spgc_stopped_world world, enum spgc_collection kind);

#endif
