/* In-place promotion: the whole nursery becomes old without being traced. */
#ifndef SPGC_GC_TRACE_PROMOTE_H
#define SPGC_GC_TRACE_PROMOTE_H

#include "heap/heap.h"

/* Promotes the nursery. Its dead objects wait for the next sweep, none of its objects has a mark,
 * and its blocks await their crossing maps. Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap);

#endif
