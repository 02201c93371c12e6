/* The crossing map: for each card of an old block, a tile from which a walk reaches the card.
 *
 * Invariant: for each card that begins below crossing_map_top, the entry is the word index of a
 * tile that begins at or before the card (or of an unmarked object in an unswept tile), and entries
 * never decrease.
 *
 * An entry is *early* if its tile ends at or before the card's first byte (docs/heap.md, "Crossing
 * maps"). The worker that scans or sweeps in a block extends and corrects its map. */
#ifndef SPGC_HEAP_REMEMBERED_CROSSING_MAP_H
#define SPGC_HEAP_REMEMBERED_CROSSING_MAP_H

#include "heap/heap.h"

/* The tile that has the card's first byte. */
struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

/* Enters the filler [start, end) instead of its objects. A sweep passes first card 0, then what the
 * last call returned. */
uint32_t spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uint32_t card,
                                   uintptr_t start, uintptr_t end);

#endif
