/* Sweeping at once what else is swept in steps: in parallel, if there is much. */
#ifndef SPGC_GC_TRACE_SWEEP_ALL_H
#define SPGC_GC_TRACE_SWEEP_ALL_H

#include "gc/trace/worker_pool.h"
#include "heap/heap.h"

/* Sweeps every block that is to be swept, with help if there are many. */
void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism);

#endif
