/* Ephemerons, as collections see them. With the world stopped. */
#ifndef SPGC_GC_WEAK_EPHEMERON_H
#define SPGC_GC_WEAK_EPHEMERON_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* Reaches the values of entries whose key and map were reached, and all that follows from it. */
void spgc_ephemerons_close(const struct spgc_liveness *liveness);

/* Once the trace reaches nothing more: drops the other entries, and maps whose owner was not
 * reached. */
void spgc_ephemerons_settle(const struct spgc_liveness *liveness);

/* For the verifier. */
void spgc_ephemerons_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end. */
void spgc_ephemerons_stop(void);

#endif
