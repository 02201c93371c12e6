/* Counting objects by their descriptors. */
#ifndef SPGC_HEAP_CENSUS_H
#define SPGC_HEAP_CENSUS_H

#include "heap/heap.h"

/* How many objects have a descriptor in [start, end). Reads the header of every object, dead or alive, that is still in
 * memory, so everything is swept before. With the world stopped, outside a collection; open allocation buffers were
 * published. */
uint64_t spgc_census_count(struct spgc_heap *heap, uintptr_t start, uintptr_t end);

#endif
