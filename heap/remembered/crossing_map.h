/* The crossing map: for each card of an old block, the tile that holds the card's first byte. So a
 * dirty card is scanned without walking its block.
 *
 * Invariant: for each card that begins below crossing_map_top, the map holds the word index of a
 * tile that begins at or before the card's first byte (or of an unmarked object in an unswept
 * tile), and entries never decrease.
 *
 * An entry is *early* if its tile ends at or before the card's first byte. Entries become early
 * when objects are put into a hole, because entries that led to the hole then lead to its first
 * object. spgc_crossing_map_find corrects them; most are never read.
 *
 * A block's map is populated from its start as far as it is needed, and updated when the sweep
 * makes one filler of several objects. Written by the one worker that scans or sweeps that part of
 * the block. */
#ifndef SPGC_HEAP_REMEMBERED_CROSSING_MAP_H
#define SPGC_HEAP_REMEMBERED_CROSSING_MAP_H

#include "heap/heap.h"

/* The tile that contains the first byte of a card of an old block. */
struct spgc_ref spgc_crossing_map_find(struct spgc_heap *heap, uint32_t index, uint32_t card);

/* Enters the filler [start, end) instead of the objects that began in it. A sweep calls it in
 * address order, first with card 0, then with the card that the last call returned. */
uint32_t spgc_crossing_map_replace(struct spgc_heap *heap, uint32_t index, uint32_t card,
                                   uintptr_t start, uintptr_t end);

#endif
