/* Called with the world stopped. The queue has space for every registered object. */
#ifndef SPGC_GC_WEAK_FINALIZER_H
#define SPGC_GC_WEAK_FINALIZER_H

#include "gc/weak/side_table.h"
#include "spgc/finalizer.h"

/* Written under SPGC_LOCK_FINALIZERS, or with the world stopped. */
extern struct spgc_side_table spgc_registrations;

/* The collection queues objects in the order of registration, whenever it finds them. */
void spgc_finalizers_begin(void);

/* Keeps queued objects, and what registrations hold. */
void spgc_finalizers_keep(const struct spgc_liveness *liveness);

/* Queues unreached objects, and keeps them alive. Returns whether there were any. */
bool spgc_finalizers_queue(const struct spgc_liveness *liveness);

/* `is_queued`: the queue has the entry, and keeps its object alive. */
typedef void (*spgc_finalizer_reader)(void *context, struct spgc_finalizer finalizer,
                                      bool is_queued);
void spgc_finalizers_read(spgc_finalizer_reader read, void *context);

#endif
