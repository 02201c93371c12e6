/* The crossing map: for each card of an old block, the object that holds the card's first byte. So
 * a dirty card is scanned without walking its block.
 *
 * Invariant, while every PLAB is paused: for each card that begins below crossing_map_top, the
 * block's map holds the word index of the object that contains the card's first byte.
 *
 * The map of a block is populated from its start as far as it is needed. It is updated when the
 * sweep makes one filler of several objects, and when a PLAB has put objects into a hole. Until the
 * PLAB pauses, an entry may lead to an object before the right one. Written by the one worker that
 * scans, sweeps or fills that part of the block.
 */
#ifndef SPGC_HEAP_CROSSING_MAP_H
#define SPGC_HEAP_CROSSING_MAP_H

#include "heap/heap.h"

/* Returns the object of old block `index` that contains the first byte of card `card` of the block,
 * or an object before it. Populates the map up to there. */
struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

/* An old block of small objects, which is no PLAB's and no mutator's, awaits its map. */
void spgc_crossing_map_await(struct spgc_heap *heap, uint32_t index);

/* Populates the maps of up to `count` blocks that await them, each to its end by a walk over its
 * objects. The caller holds the cycle, and every block is swept. */
void spgc_crossing_map_populate_some(struct spgc_heap *heap, uint32_t count);

/* Prefetches the metadata that spgc_crossing_map_find reads for a card, numbered in the table. */
static inline void spgc_crossing_map_fetch(const struct spgc_heap *heap, size_t card) {
  __builtin_prefetch(&heap->blocks[card / SPGC_CARDS_PER_BLOCK]);
  __builtin_prefetch(
      &heap->crossing_maps[card / SPGC_CARDS_PER_BLOCK][card % SPGC_CARDS_PER_BLOCK]);
}

/* Enters the object at `start`, which ends at `end`. Before, other objects began in between, or it
 * did not exist. */
void spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uintptr_t start,
                               uintptr_t end);

/* Enters all objects from `start` on that begin before `limit`, as far as the map is populated. */
void spgc_crossing_map_replace_all(struct spgc_heap *heap, uint32_t index, uintptr_t start,
                                   uintptr_t limit);

#endif
