/* Identity hashes in collections. */
#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* Updates the addresses of hashed objects and drops the dead ones. With the world stopped, when the
 * trace is complete. */
void spgc_identities_settle(const struct spgc_liveness *liveness);

/* The object's number among those that were hashed, from 1; 0 if it has no hash. Constant while the
 * object lives. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

/* Visits the hashed objects, for verification. */
void spgc_identities_visit(spgc_root_visitor visit, void *context);

/* Frees the table before the heap is destroyed. */
void spgc_identities_stop(void);

#endif
