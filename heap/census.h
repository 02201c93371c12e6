/* Counting objects by their descriptors. */
#ifndef SPGC_HEAP_CENSUS_H
#define SPGC_HEAP_CENSUS_H

#include "heap/heap.h"
#include "spgc/module.h"

/* Adds to each range's count the objects whose descriptor lies in it. It counts every object in
 * memory, dead or alive, and therefore sweeps everything first. The world is stopped, no collection
 * is under way, and open TLABs were published. */
void spgc_census_count(struct spgc_heap *heap, struct spgc_type_range *ranges, size_t range_count);

#endif
