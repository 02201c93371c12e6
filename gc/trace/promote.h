#ifndef SPGC_GC_TRACE_PROMOTE_H
#define SPGC_GC_TRACE_PROMOTE_H

#include "heap/heap.h"

/* In-place promotion: the whole nursery becomes old without being traced. Its dead objects wait for
 * the next sweep, none of its objects has a mark, and its blocks get their crossing maps later.
 * Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap);

#endif
