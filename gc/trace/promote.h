/* Promotion without copying: the whole nursery becomes old where it is. */
#ifndef SPGC_GC_TRACE_PROMOTE_H
#define SPGC_GC_TRACE_PROMOTE_H

#include "heap/heap.h"

/* What is dead in it waits for the next sweep. Nothing of the nursery has a mark. Crossings are
 * entered if many of its cards are expected to be dirty soon: the next collection that reads cards
 * would enter those of several nurseries. Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap, bool populates_crossing_maps);

#endif
