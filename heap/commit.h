/* Makes more of the range accessible, with its blocks' metadata.
 *
 *   0                    low_water           boundary            high_water           block_count
 *   | inaccessible ...   | single blocks,    | runs,             | inaccessible ...   |
 *                        | accessible once   | accessible once   |
 *
 * Core files leave out blocks that were never accessible. */
#ifndef SPGC_HEAP_COMMIT_H
#define SPGC_HEAP_COMMIT_H

#include "heap/heap.h"

/* `singles` blocks below the boundary, `runs` above. False, with nothing reserved, if the system
 * refuses. */
bool spgc_commit_create(struct spgc_heap *heap, size_t singles, size_t runs);
void spgc_commit_destroy(struct spgc_heap *heap);

/* In bytes, with the tables. */
size_t spgc_commit_bytes(size_t blocks);

bool spgc_commit_open_entries(void *table, size_t entry_bytes, size_t first, size_t end);

/* `count` is a multiple of heap->page_blocks. Returns the first block; SPGC_BLOCK_NONE, without a
 * change, if the system or the range refuses. */
uint32_t spgc_commit_more(struct spgc_heap *heap, enum spgc_zone zone, size_t count);

#endif
