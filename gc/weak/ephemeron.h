/* Ephemerons in collections. All functions require that the world is stopped. */
#ifndef SPGC_GC_WEAK_EPHEMERON_H
#define SPGC_GC_WEAK_EPHEMERON_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* Reaches the values of entries whose key and map were reached, and everything they lead to. */
void spgc_ephemerons_close(const struct spgc_liveness *liveness);

/* Drops the other entries, and the maps whose owner was not reached. Called when the trace is
 * complete. */
void spgc_ephemerons_settle(const struct spgc_liveness *liveness);

/* Visits every key, value and owner, for verification. */
void spgc_ephemerons_visit(spgc_root_visitor visit, void *context);

/* Frees the tables before the heap is destroyed. */
void spgc_ephemerons_stop(void);

#endif
