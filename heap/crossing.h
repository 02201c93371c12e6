/* Crossings: which object holds the first byte of a card, so that a dirty card is read without walking its block.
 *
 * The table of an old block is built when first needed. Objects do not change size, but a lane may put objects where a
 * filler is: an entry then leads to an object before the one asked for, until the lane pauses (heap/lane.h). */
#ifndef SPGC_HEAP_CROSSING_H
#define SPGC_HEAP_CROSSING_H

#include "heap/heap.h"

/* The object of old block `index` that contains the first byte of its card number `card` or one before it. */
uintptr_t spgc_crossing_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

#endif
