/* Tiles are the objects and fillers of an old block. In an unswept block, a tile is a marked
 * object, or the unmarked memory before one, which is not read, because a dead object's descriptor
 * may be gone. */
#ifndef SPGC_HEAP_TILE_H
#define SPGC_HEAP_TILE_H

#include "heap/mark_bits.h"
#include "heap/object.h"

SPGC_INLINE bool spgc_tile_is_unswept(const struct spgc_heap *heap, uint32_t index,
                                      struct spgc_ref tile) {
  return __builtin_expect(heap->blocks[index].unswept, 0) && !spgc_mark_bit_is_set(heap, tile);
}

/* The first marked object from there on, or the end of the block. */
SPGC_INLINE struct spgc_ref spgc_marked_from(const struct spgc_heap *heap, uint32_t index,
                                             uintptr_t address) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  size_t word = spgc_mark_bits_next(heap->marks[index], (address - start) / SPGC_WORD_BYTES,
                                    SPGC_MARK_BITS_SET);
  return (struct spgc_ref){start + word * SPGC_WORD_BYTES};
}

/* Or the end of the block. */
SPGC_INLINE struct spgc_ref spgc_tile_next(const struct spgc_heap *heap, uint32_t index,
                                           struct spgc_ref tile) {
  return spgc_tile_is_unswept(heap, index, tile) ? spgc_marked_from(heap, index, tile.word)
                                                 : spgc_object_next(tile);
}

#endif
