/* What a collection does with objects that nothing but weak fields, weak maps, finalizers and
 * identity hashes knows.
 *
 * For each decision of the collection (gc/trace/liveness.h), when roots and fields lead to nothing
 * that was not reached:
 *
 *   1. reach the values of weak maps whose keys were reached;
 *   2. clear the weak fields whose referents were not reached;
 *   3. queue the unreached objects with finalizers, and reach what they refer to, and values that
 * have them for keys;
 *   4. drop what is known of objects that were not reached; what is known of the others follows
 * them.
 */
#ifndef SPGC_GC_WEAK_WEAK_PROCESSING_H
#define SPGC_GC_WEAK_WEAK_PROCESSING_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* A collection begins. */
void spgc_weak_processing_begin(void);

/* The roots that side tables are: the queue of finalizers, what they hold, and, for a marking,
 * pinned objects. */
void spgc_weak_processing_keep_roots(const struct spgc_liveness *liveness);

/* The steps above. What is reached by them is drained. */
void spgc_weak_processing_run(const struct spgc_liveness *liveness);

/* For the verifier: every address the side tables hold. */
void spgc_weak_processing_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end: everything is forgotten. */
void spgc_weak_processing_stop(void);

#endif
