/* Promotion without copying: the whole nursery becomes old where it is. */
#ifndef SPGC_HEAP_PROMOTE_H
#define SPGC_HEAP_PROMOTE_H

#include "heap/heap.h"

/* What is dead in it waits for the next sweep. Nothing of the nursery has a mark. Returns the bytes promoted. */
size_t spgc_promote_nursery(struct spgc_heap *heap);

#endif
