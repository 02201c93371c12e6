/* Identity hashes, as collections see them. */
#ifndef SPGC_GC_WEAK_IDENTITY_H
#define SPGC_GC_WEAK_IDENTITY_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* With the world stopped, once the trace reaches nothing more: lets the hashes follow their
 * objects. */
void spgc_identities_settle(const struct spgc_liveness *liveness);

/* For the verifier. */
void spgc_identities_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end. */
void spgc_identities_stop(void);

#endif
