/* PLABs: where survivors are allocated.
 *
 * The first PLAB takes small objects to the room that sweeping found in old blocks, and to free
 * blocks when there is no more; objects too large for most of that room have a PLAB of free blocks
 * of their own.
 */
#ifndef SPGC_HEAP_PLAB_H
#define SPGC_HEAP_PLAB_H

#include "heap/filler.h"
#include "heap/heap.h"

enum { SPGC_LARGEST_IN_HOLE = SPGC_BLOCK_BYTES / 32 };

/* Lets `bytes` fit the PLAB. With `only_free_blocks` no room in old blocks is used. Fatal when
 * there is no block. Other workers may do the same for their PLABs. */
void spgc_plab_refill(struct spgc_heap *heap, struct spgc_plab *plab, size_t bytes,
                      bool only_free_blocks);

/* What is left of the PLAB becomes a filler again. */
SPGC_INLINE void spgc_plab_fill(struct spgc_plab *plab) {
  if (plab->cursor != plab->limit)
    spgc_filler_write(plab->cursor, plab->limit - plab->cursor);
}

/* Bytes of the objects put in it since it was created or last reset. */
static inline size_t spgc_plab_given(const struct spgc_plab *plab) {
  return plab->given + (plab->cursor - plab->start);
}

/* Makes the crossing map follow what was put in the PLAB since it was opened or paused. It may go
 * on. */
void spgc_plab_pause(struct spgc_heap *heap, struct spgc_plab *plab);

#endif
