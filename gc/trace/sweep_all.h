/* Sweeping all blocks at once, in parallel if there are many, instead of in steps. */
#ifndef SPGC_GC_TRACE_SWEEP_ALL_H
#define SPGC_GC_TRACE_SWEEP_ALL_H

#include "gc/trace/worker_pool.h"
#include "heap/heap.h"

/* Sweeps every unswept block. Calls other workers if there are many. */
void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism);

#endif
