/* Taking blocks and giving them back. */
#ifndef SPGC_HEAP_BLOCKS_H
#define SPGC_HEAP_BLOCKS_H

#include "heap/heap.h"

/* What a vacated block is filled with when the heap poisons: no descriptor, no heap address. */
#define SPGC_POISON_WORD UINT64_C(0xdead57a1edead57a)

enum { SPGC_BLOCKS_IN_HAND = SPGC_PLABS + 2 }; /* room to vacate sparse blocks in, at the least */

/* A free block, made accessible, put on the nursery's list or the old list. Its contents are
 * arbitrary; its cards are clean, as are its mark bits. SPGC_BLOCK_NONE when the range is used up
 * or the system refuses. Mutators leave SPGC_BLOCKS_IN_HAND accessible blocks to collections. */
uint32_t spgc_blocks_take_nursery(struct spgc_heap *heap);
uint32_t spgc_blocks_take_old(struct spgc_heap *heap);

/* Adjacent free blocks for a large object of `bytes`, on the nursery's large list: the first one.
 */
uint32_t spgc_blocks_take_run(struct spgc_heap *heap, size_t bytes);

/* Makes sure that `count` calls of spgc_blocks_take_old succeed. False when the system or the range
 * refuses; as many as they grant are accessible then. */
bool spgc_blocks_prepare(struct spgc_heap *heap, size_t count);

/* Free blocks of a zone that are accessible. */
size_t spgc_blocks_accessible(const struct spgc_heap *heap, enum spgc_zone zone);

/* Frees whatever is still condemned. Under poison also closes what spgc_blocks_prepare opened and
 * nobody took. */
void spgc_blocks_free_condemned(struct spgc_heap *heap);

/* Returns pages of free blocks to the system until at most `keep` free blocks have pages, at most
 * `most` blocks. */
void spgc_blocks_discard_idle(struct spgc_heap *heap, uint32_t keep, uint32_t most);

#endif
