/* Holes: the fillers of a swept block that survivors may be copied into, linked in the order of
 * addresses.
 *
 *   filler   +0 header   +8 length   +16 word index of the block's next hole, or SPGC_NO_HOLE   ...
 *
 * The sweep makes the list. The one PLAB that takes the block follows it.
 */
#ifndef SPGC_HEAP_HOLE_H
#define SPGC_HEAP_HOLE_H

#include "heap/filler.h"
#include "heap/geometry.h"

enum {
  SPGC_NO_HOLE = UINT16_MAX,
  SPGC_LEAST_HOLE_BYTES = 6 * SPGC_WORD_BYTES,
  SPGC_HOLE_HEAD_BYTES = SPGC_FILLER_HEAD_BYTES + SPGC_WORD_BYTES,
};

_Static_assert(SPGC_BLOCK_BYTES / SPGC_WORD_BYTES <= SPGC_NO_HOLE,
               "word indices of a block differ from SPGC_NO_HOLE");

/* The hole at a word index of the block that starts at `block`. */
static inline uintptr_t spgc_hole_at(uintptr_t block, uint16_t index) {
  return block + (uintptr_t)index * SPGC_WORD_BYTES;
}

static inline uint64_t *spgc_hole_next(uintptr_t filler) {
  return (uint64_t *)(filler + SPGC_FILLER_HEAD_BYTES);
}

#endif
