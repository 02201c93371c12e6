#ifndef SPGC_HEAP_BLOCKS_H
#define SPGC_HEAP_BLOCKS_H

#include "heap/heap.h"

/* Accessible blocks that mutators leave to the next collection: one for each PLAB, and two to
 * vacate sparse blocks into. */
enum { SPGC_COPY_RESERVE_BLOCKS = SPGC_PLABS + 2 };

/* Takes a free block, and puts it on the nursery's or the old list. Its contents are arbitrary; its
 * cards and mark bits are clear. SPGC_BLOCK_NONE if the range is used up or the system refuses
 * memory. spgc_blocks_take_nursery leaves SPGC_COPY_RESERVE_BLOCKS accessible blocks. */
uint32_t spgc_blocks_take_nursery(struct spgc_heap *heap);
uint32_t spgc_blocks_take_old(struct spgc_heap *heap);

/* Takes adjacent free blocks for a large object, and puts the first one, which it returns, on the
 * nursery's large list. Or SPGC_BLOCK_NONE. */
uint32_t spgc_blocks_take_run(struct spgc_heap *heap, size_t bytes);

/* Makes sure that `count` calls of spgc_blocks_take_old succeed. False if the system or the range
 * refuses. */
bool spgc_blocks_prepare(struct spgc_heap *heap, size_t count);

size_t spgc_blocks_accessible(const struct spgc_heap *heap, enum spgc_zone zone);

/* Frees all blocks that are still condemned, but keeps large objects that got the space
 * SPGC_SPACE_OLD_LARGE. Under poison, also protects the resident blocks that were not taken. */
void spgc_blocks_free_condemned(struct spgc_heap *heap);

size_t spgc_blocks_resident(const struct spgc_heap *heap);

/* Decommits at most `most` idle blocks, until at most `keep` free blocks are resident. */
void spgc_blocks_discard_idle(struct spgc_heap *heap, uint32_t keep, uint32_t most);

#endif
