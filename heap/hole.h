/* Holes: the fillers of a swept block that survivors may be copied into, and mutators may allocate
 * in, linked in the order of addresses.
 *
 *   filler   +0 header   +8 length   +16 word index of the block's next hole, or SPGC_NO_HOLE   ...
 *
 * The sweep makes the list. The one PLAB or mutator that takes the block follows it.
 *
 * A hole costs the mutator as much as ten small objects: a call, and two lines of memory that no
 * cache holds. So holes are as long as a card, or longer, where the limit leaves memory to spare.
 * Immix has lines of the same size, and uses no part of one where something lives (Blackburn and
 * McKinley, "Immix: a mark-region garbage collector", PLDI 2008). */
#ifndef SPGC_HEAP_HOLE_H
#define SPGC_HEAP_HOLE_H

#include "heap/filler.h"
#include "heap/geometry.h"
#include "heap/heap.h"

enum {
  SPGC_NO_HOLE = UINT16_MAX,
  SPGC_LEAST_HOLE_BYTES = 6 * SPGC_WORD_BYTES, /* if memory is short */
  SPGC_WORTHY_HOLE_BYTES = SPGC_CARD_BYTES,    /* otherwise */
  SPGC_LEAST_UNUSED = SPGC_BLOCK_BYTES / 2, /* of a block whose holes take objects of several KiB */
  SPGC_UNUSED_PARTS = 8,                    /* of the old space: with more in holes, holes abound */
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

/* A hole is about to be used. The head stays, because it is read until then. */
void spgc_hole_allow_access(uintptr_t filler);

/* Takes the next recyclable block among `some`, which is then no longer recyclable; or
 * SPGC_BLOCK_NONE. With `is_sparse`, one at least half unused, whose holes may fit objects of
 * several KiB; it finds each block once after a sweep. The caller holds the heap's lock in a
 * collection, and the cycle at other times. */
uint32_t spgc_recyclable_take(struct spgc_heap *heap, struct spgc_block_range some, bool is_sparse);

/* The caller holds the cycle. */
void spgc_recyclable_set(struct spgc_heap *heap, uint32_t index);
void spgc_recyclable_clear(struct spgc_heap *heap, uint32_t index);
void spgc_recyclable_return(struct spgc_heap *heap, uint32_t index);

/* Counts the unused bytes anew when every block is swept: until then they include gaps
 * between objects that are too small for a hole. The caller holds the cycle. */
void spgc_recyclable_count(struct spgc_heap *heap);

/* Whether there may be recyclable blocks. Any thread. */
static inline bool spgc_recyclable_exist(const struct spgc_heap *heap) {
  return __atomic_load_n(&heap->recyclable, __ATOMIC_RELAXED) != SPGC_BLOCK_NONE;
}

/* While it is so, survivors fill holes, no nursery is promoted in place, and cycles compact. */
static inline bool spgc_holes_abound(const struct spgc_heap *heap) {
  return heap->unused_bytes > (size_t)heap->old_blocks * SPGC_BLOCK_BYTES / SPGC_UNUSED_PARTS;
}

#endif
