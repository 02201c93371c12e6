#ifndef SPGC_GC_MUTATOR_BLOCKING_H
#define SPGC_GC_MUTATOR_BLOCKING_H

struct blocking_region;

/* The calling thread's region. NULL if it runs, or is not attached. */
struct blocking_region *spgc_blocking_region(void);

/* If the calling thread is in a region, enters the world from it, because the thread is leaving
 * calls of spgc_call_blocking and spgc_call_managed without returning from them. A safepoint. */
void spgc_blocking_end(void);

/* Leaves the world for a region whose spgc_call_blocking is still active. */
void spgc_blocking_go_back(struct blocking_region *region);

#endif
