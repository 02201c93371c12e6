/* Promotion-local allocation buffers: a worker copies survivors into its two, first into holes,
 * then into free blocks. The second takes objects too large for most holes, and uses only holes of
 * blocks that are half unused. */
#ifndef SPGC_HEAP_PLAB_H
#define SPGC_HEAP_PLAB_H

#include "heap/heap.h"
#include "heap/hole.h"

/* Takes a hole of its block or of `recyclable` ones, or a free block. Fatal if there is none. Any
 * worker, at any time. */
void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      struct spgc_block_range recyclable);

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
