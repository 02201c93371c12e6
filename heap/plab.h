/* Lanes: where survivors are allocated.
 *
 * The first lane takes small objects to the room that sweeping found in old blocks, and to free blocks when there is no
 * more; objects too large for most of that room have a lane of free blocks of their own.
 */
#ifndef SPGC_HEAP_PLAB_H
#define SPGC_HEAP_PLAB_H

#include "heap/filler.h"
#include "heap/heap.h"

enum { SPGC_LARGEST_IN_ROOM = SPGC_BLOCK_BYTES / 32 };

/* Lets `bytes` fit the lane. With `only_free_blocks` no room in old blocks is used. Fatal when there is no block. Other
 * workers may do the same for their lanes. */
void spgc_lane_refill(struct spgc_heap *heap, struct spgc_lane *lane, size_t bytes, bool only_free_blocks);

/* What is left of the lane becomes a filler again. */
SPGC_INLINE void spgc_lane_fill(struct spgc_lane *lane) {
  if (lane->cursor != lane->limit)
    spgc_filler_write(lane->cursor, lane->limit - lane->cursor);
}

/* Bytes of the objects put in it since it was created or last reset. */
static inline size_t spgc_lane_given(const struct spgc_lane *lane) {
  return lane->given + (lane->cursor - lane->start);
}

/* Makes the crossings follow what was put in the lane since it was opened or paused. It may go on. */
void spgc_lane_pause(struct spgc_heap *heap, struct spgc_lane *lane);

#endif
