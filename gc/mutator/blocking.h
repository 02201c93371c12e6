#ifndef SPGC_GC_MUTATOR_BLOCKING_H
#define SPGC_GC_MUTATOR_BLOCKING_H

struct blocking_region;

/* NULL if the calling thread runs, or is not attached. */
struct blocking_region *spgc_blocking_region(void);

/* Enters the world if the calling thread leaves a region without returning from it. A safepoint. */
void spgc_blocking_end(void);

/* The region's spgc_call_blocking is still active. */
void spgc_blocking_go_back(struct blocking_region *region);

#endif
