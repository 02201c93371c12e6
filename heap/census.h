#ifndef SPGC_HEAP_CENSUS_H
#define SPGC_HEAP_CENSUS_H

#include "heap/heap.h"
#include "spgc/module.h"

/* Adds to each range's count the objects whose descriptor is in it, dead or alive. Sweeps
 * everything first. The world is stopped, no collection is in progress, and open TLABs were
 * published. */
void spgc_census_count(struct spgc_heap *heap, struct spgc_type_range *ranges, size_t range_count);

#endif
