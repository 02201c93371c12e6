/* A graph's objects in a heap without mutators. */
#ifndef SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H
#define SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H

#include "bench/micro/graph.h"
#include "heap/heap.h"

/* Writes the graph to the nursery, in the order of its objects; answers the address of the root.
 * Whatever was in the heap is gone. */
uintptr_t heap_write_young(struct spgc_heap *heap, const struct graph *graph);

/* The same, to blocks that are old and unmarked. */
uintptr_t heap_write_old(struct spgc_heap *heap, const struct graph *graph);

#endif
