/* Finalizers in collections, with the world stopped. The queue has space for every registered
 * object, so queueing needs no memory. */
#ifndef SPGC_GC_WEAK_FINALIZER_H
#define SPGC_GC_WEAK_FINALIZER_H

#include "gc/weak/side_table.h"
#include "spgc/finalizer.h"

/* Written under SPGC_LOCK_FINALIZERS, or with the world stopped. */
extern struct spgc_side_table spgc_registrations;

/* A collection begins. It will queue objects in the order of registration, even if it finds them at
 * different times. */
void spgc_finalizers_begin(void);

/* Keeps alive the queued objects and everything that registrations hold. */
void spgc_finalizers_keep(const struct spgc_liveness *liveness);

/* Queues the registered objects that were not reached, and keeps them alive until they are drained.
 * Returns whether there were any. */
bool spgc_finalizers_queue(const struct spgc_liveness *liveness);

/* `is_queued`: the entry is in the queue, which keeps its object alive. */
typedef void (*spgc_finalizer_reader)(void *context, struct spgc_finalizer finalizer,
                                      bool is_queued);
void spgc_finalizers_read(spgc_finalizer_reader read, void *context);

#endif
