#ifndef SPGC_HEAP_BLOCKS_H
#define SPGC_HEAP_BLOCKS_H

#include "heap/heap.h"

/* Blocks that mutators leave to the next collection: one for each PLAB, and two to relocate
 * objects to. */
enum { SPGC_COPY_RESERVE_BLOCKS = SPGC_PLABS + 2 };

/* Contents are arbitrary; cards and mark bits are clear. SPGC_BLOCK_NONE if the range is used up or
 * the system refuses. spgc_blocks_take_nursery leaves SPGC_COPY_RESERVE_BLOCKS accessible ones. */
uint32_t spgc_blocks_take_nursery(struct spgc_heap *heap);
uint32_t spgc_blocks_take_old(struct spgc_heap *heap);

/* An old block that gets pages when the first object moves there, by spgc_blocks_populate: fewer
 * system calls than faults. */
uint32_t spgc_blocks_take_destination(struct spgc_heap *heap);
void spgc_blocks_populate(const struct spgc_heap *heap, uint32_t index);

/* Returns the first block, or SPGC_BLOCK_NONE. */
uint32_t spgc_blocks_take_run(struct spgc_heap *heap, size_t bytes);

/* The next `count` calls of spgc_blocks_take_old succeed. */
bool spgc_blocks_prepare(struct spgc_heap *heap, size_t count);

size_t spgc_blocks_accessible(const struct spgc_heap *heap, enum spgc_zone zone);

/* Frees blocks that are still condemned, but not large objects that became SPGC_SPACE_OLD_LARGE.
 * Under poison, also protects the pages of what it frees. */
void spgc_blocks_free_condemned(struct spgc_heap *heap);

/* Gives back the memory of relocating blocks [first, end), which all objects have left, if there is
 * an excess. Checkers and poison need the memory until the blocks are freed. */
void spgc_blocks_discard_relocated(struct spgc_heap *heap, uint32_t first, uint32_t end);

/* Closes free single blocks until at most `most` blocks are accessible, or the system refuses. */
void spgc_blocks_give_back_excess(struct spgc_heap *heap, size_t most);

size_t spgc_blocks_resident(const struct spgc_heap *heap);

/* Decommits at most `most`, until at most `keep` free blocks are resident. */
void spgc_blocks_discard_idle(struct spgc_heap *heap, uint32_t keep, uint32_t most);

#endif
