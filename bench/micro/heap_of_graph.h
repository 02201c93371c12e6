/* A graph's objects in a heap without mutators. */
#ifndef SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H
#define SPGC_BENCH_MICRO_HEAP_OF_GRAPH_H

#include "bench/micro/graph.h"
#include "heap/heap.h"

/* Replaces the heap's contents by the graph, in the nursery, in the order of its objects. Returns
 * the root's address. */
uintptr_t heap_write_young(struct spgc_heap *heap, const struct graph *graph);

/* The same, in blocks that are old and unmarked. */
uintptr_t heap_write_old(struct spgc_heap *heap, const struct graph *graph);

#endif
