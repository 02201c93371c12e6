/* Identity hashes, as collections see them. */
#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* Updates the addresses of hashed objects and drops the dead ones. Called with the world stopped,
 * when the trace is complete. */
void spgc_identities_settle(const struct spgc_liveness *liveness);

/* The number of an object among those that were hashed, from 1; 0 if it has no hash. It stays the
 * same while the object lives. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

/* Visits the hashed objects, for verification. */
void spgc_identities_visit(spgc_root_visitor visit, void *context);

/* Frees the table before the heap is destroyed. */
void spgc_identities_stop(void);

#endif
