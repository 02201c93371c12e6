/* Blocking regions: mutators outside the collector's world, where they hold no references. */
#ifndef SPGC_GC_MUTATOR_BLOCKING_H
#define SPGC_GC_MUTATOR_BLOCKING_H

struct blocking_region;

/* The one that the calling thread is in; NULL: it runs, or is not attached. */
struct blocking_region *spgc_blocking_region(void);

/* For a thread that leaves calls of spgc_call_blocking and spgc_call_managed without returning:
 * enters the world from its region, if it is in one. A safepoint. */
void spgc_blocking_end(void);

/* The opposite: goes back to a region whose spgc_call_blocking is still active. */
void spgc_blocking_go_back(struct blocking_region *region);

#endif
