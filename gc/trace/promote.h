/* In-place promotion: the whole nursery becomes old without being traced. */
#ifndef SPGC_GC_TRACE_PROMOTE_H
#define SPGC_GC_TRACE_PROMOTE_H

#include "heap/heap.h"

/* Promotes the nursery. Its dead objects wait for the next sweep, and none of its objects has a
 * mark. Populates the crossing maps at once if many of its cards are expected to be dirty at the
 * next collection, which would have to populate those of several nurseries. Returns the bytes
 * promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap, bool populates_crossing_maps);

#endif
