/* Crossings: which object holds the first byte of a card, so that a dirty card is read without walking its block.
 *
 * Objects of an old block never change size, so the table is built when first needed and only ever extended. */
#ifndef SPGC_HEAP_CROSSING_H
#define SPGC_HEAP_CROSSING_H

#include "heap/heap.h"

/* The object of old block `index` that contains the first byte of its card number `card` (which lies below top). */
uintptr_t spgc_crossing_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

#endif
