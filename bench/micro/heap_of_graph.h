#ifndef SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H
#define SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H

#include "bench/micro/graph.h"
#include "heap/heap.h"

/* In the nursery, in the order of its objects. Returns the root's address. */
uintptr_t heap_write_young(struct spgc_heap *heap, const struct graph *graph);

/* In old, unmarked blocks. */
uintptr_t heap_write_old(struct spgc_heap *heap, const struct graph *graph);

#endif
