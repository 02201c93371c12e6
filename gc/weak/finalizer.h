/* Finalizers, as collections see them.
 *
 * Invariant: the queue has room for every registered object, so that queueing needs no memory.
 */
#ifndef SPGC_GC_WEAK_FINALIZER_H
#define SPGC_GC_WEAK_FINALIZER_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* All with the world stopped. */

/* A collection begins: what it queues will be in the order of registration, whenever it is found.
 */
void spgc_finalizers_begin(void);

/* Keeps what is queued, and what registrations hold. */
void spgc_finalizers_keep(const struct spgc_liveness *liveness);

/* Queues and keeps registered objects that were not reached; what they refer to is reached by
 * draining. Returns whether there were any. */
bool spgc_finalizers_queue(const struct spgc_liveness *liveness);

/* Once the trace reaches nothing more. */
void spgc_finalizers_settle(const struct spgc_liveness *liveness);

/* For the verifier. */
void spgc_finalizers_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end. */
void spgc_finalizers_stop(void);

#endif
