/* Fillers: objects in place of free memory, so that objects and fillers tile an old block.
 *
 * Holes: fillers of a swept block, for survivors and new objects. The sweep links them in address
 * order.
 *   filler   +0 header   +8 length   +16 word index of the block's next hole, or SPGC_NO_HOLE   ...
 *
 * A hole costs a mutator as much as ten small objects: a call and two cache misses. So unless
 * memory is short, holes are at least a card long, as are Immix's lines (Blackburn and McKinley,
 * "Immix: a mark-region garbage collector", PLDI 2008).
 *
 * Blocks without a hole for a size are passed over without reading their holes. Each class of sizes
 * has a position (heap->recyclable). Until a sweep ends it only moves forward, or back to a block
 * that a higher class has left, because an object did not fit its holes. */
#ifndef SPGC_HEAP_HOLE_H
#define SPGC_HEAP_HOLE_H

#include "heap/geometry.h"
#include "heap/heap.h"

extern const struct spgc_type spgc_filler_word;
extern const struct spgc_type spgc_filler_words; /* two words or more */

static inline bool spgc_type_is_filler(uintptr_t type) {
  return type == (uintptr_t)&spgc_filler_word || type == (uintptr_t)&spgc_filler_words;
}

enum { SPGC_FILLER_HEAD_BYTES = 2 * SPGC_WORD_BYTES };

/* `bytes` is a positive multiple of a word. */
SPGC_INLINE void spgc_filler_write(uintptr_t at, size_t bytes) {
  if (bytes == SPGC_WORD_BYTES) {
    spgc_object_set_header((struct spgc_ref){at}, (uintptr_t)&spgc_filler_word);
  } else {
    spgc_object_set_header((struct spgc_ref){at}, (uintptr_t)&spgc_filler_words);
    ((uint64_t *)at)[1] = bytes / SPGC_WORD_BYTES - 2;
  }
}

enum {
  SPGC_NO_HOLE = UINT16_MAX,
  SPGC_LARGEST_IN_HOLE = SPGC_BLOCK_BYTES / 32, /* few holes are large enough for larger objects */
  SPGC_LEAST_HOLE_BYTES = 6 * SPGC_WORD_BYTES,
  SPGC_WORTHY_HOLE_BYTES = SPGC_CARD_BYTES,
  SPGC_EXPECTED_HOLE_PARTS = 16, /* of what an unswept block has unused, until it is swept */
  SPGC_UNUSED_PARTS = 8,         /* with more of the old space, they abound */
  SPGC_HOLE_HEAD_BYTES = SPGC_FILLER_HEAD_BYTES + SPGC_WORD_BYTES,
};

_Static_assert(SPGC_BLOCK_BYTES / SPGC_WORD_BYTES <= SPGC_NO_HOLE,
               "word indices of a block differ from SPGC_NO_HOLE");

static inline uintptr_t spgc_hole_at(uintptr_t block, uint16_t index) {
  return block + (uintptr_t)index * SPGC_WORD_BYTES;
}

static inline uint64_t *spgc_hole_next(uintptr_t filler) {
  return (uint64_t *)(filler + SPGC_FILLER_HEAD_BYTES);
}

static inline size_t spgc_hole_bytes(uintptr_t filler) {
  return spgc_object_bytes((struct spgc_ref){filler}, &spgc_filler_words);
}

/* The head is read until the hole is used. */
void spgc_hole_allow_access(uintptr_t filler);

/* The first fits any hole, unless memory is short; the last is too large for most. */
static inline uint32_t spgc_hole_class(size_t bytes) {
  return (uint32_t)(bytes > SPGC_WORTHY_HOLE_BYTES) + (uint32_t)(bytes > SPGC_LARGEST_IN_HOLE);
}

/* Every old block, from the first, may have holes and be unswept. */
void spgc_recyclable_begin(struct spgc_heap *heap, uint32_t first);

/* Returns the next block that has had a hole of `bytes`, swept, and no longer recyclable; or
 * SPGC_BLOCK_NONE. The caller holds the cycle, as in the next three, or is a collection's worker.
 */
uint32_t spgc_recyclable_take(struct spgc_heap *heap, struct spgc_range some, size_t bytes);

/* `bytes` do not fit the block, which was taken for them. Its holes are for smaller classes. */
void spgc_recyclable_leave(struct spgc_heap *heap, uint32_t index, size_t bytes);

/* The caller holds the cycle. */
void spgc_recyclable_set(struct spgc_heap *heap, uint32_t index);
void spgc_recyclable_clear(struct spgc_heap *heap, uint32_t index);
void spgc_recyclable_return(struct spgc_heap *heap, uint32_t index);

/* When every block is swept: until then the share of smaller gaps is the last sweep's. The caller
 * holds the cycle. */
void spgc_recyclable_count(struct spgc_heap *heap);

/* Any thread, at any time. */
static inline bool spgc_recyclable_exist(const struct spgc_heap *heap) {
  return __atomic_load_n(&heap->recyclable[0], __ATOMIC_RELAXED) != SPGC_BLOCK_NONE;
}

/* Then survivors fill holes, no nursery is promoted in place, and cycles compact. */
static inline bool spgc_holes_abound(const struct spgc_heap *heap) {
  return heap->unused_bytes > (size_t)heap->old_blocks * SPGC_BLOCK_BYTES / SPGC_UNUSED_PARTS;
}

/* ---- PLABs ----
 *
 * Promotion-local allocation buffers: a worker copies survivors into its two, first into holes,
 * then into free blocks. The second is for objects too large for most holes. */

/* Takes a hole of its block or of `recyclable` ones, or a free block. Fatal if there is none. Any
 * worker, at any time. */
void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      struct spgc_range recyclable);

SPGC_INLINE void spgc_plab_fill(struct spgc_plab *plab) {
  if (plab->cursor != plab->limit)
    spgc_filler_write(plab->cursor, plab->limit - plab->cursor);
}

static inline size_t spgc_plab_given(const struct spgc_plab *plab) {
  return plab->given + (plab->cursor - plab->start);
}

static inline void spgc_plab_begin_count(struct spgc_plab *plab) {
  plab->given = 0;
  plab->start = plab->cursor;
}

#endif
