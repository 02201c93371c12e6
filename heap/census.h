/* Counting objects by their descriptors. */
#ifndef SPGC_HEAP_CENSUS_H
#define SPGC_HEAP_CENSUS_H

#include "heap/heap.h"
#include "spgc/module.h"

/* Adds to each range's count. Reads the header of every object, dead or alive, that is still in
 * memory, so everything is swept before. With the world stopped, outside a collection; open
 * allocation buffers were published. */
void spgc_census_count(struct spgc_heap *heap, struct spgc_type_range *ranges, size_t range_count);

#endif
