/* Crossings: which object holds the first byte of a card, so that a dirty card is read without
 * walking its block.
 *
 * The table of an old block is built when first needed. It follows when sweeping makes a filler of
 * several objects, and when a PLAB has put objects where a filler was: until the PLAB pauses, an
 * entry may lead to an object before the one asked for.
 */
#ifndef SPGC_HEAP_CROSSING_MAP_H
#define SPGC_HEAP_CROSSING_MAP_H

#include "heap/heap.h"

/* The object of old block `index` that contains the first byte of its card number `card` or one
 * before it. */
uintptr_t spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

/* Of all cards of an old block, which is read for it. */
void spgc_crossing_map_populate(struct spgc_heap *heap, uint32_t index);

/* What finding the object of a card of the table reads is fetched. */
static inline void spgc_crossing_map_fetch(const struct spgc_heap *heap, size_t card) {
  __builtin_prefetch(&heap->blocks[card / SPGC_CARDS_PER_BLOCK]);
  __builtin_prefetch(
      &heap->crossing_maps[card / SPGC_CARDS_PER_BLOCK][card % SPGC_CARDS_PER_BLOCK]);
}

/* The object at `start` ends at `end`; others began between before, or it did not exist. */
void spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uintptr_t start,
                               uintptr_t end);

#endif
