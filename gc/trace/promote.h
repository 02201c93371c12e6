#ifndef SPGC_GC_TRACE_PROMOTE_H
#define SPGC_GC_TRACE_PROMOTE_H

#include "heap/heap.h"

/* Without a trace. Dead objects wait for the next sweep, no object has a mark, and crossing maps
 * are made later. Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap);

#endif
