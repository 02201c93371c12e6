/* Evacuation: the condemned objects that are reached move to old blocks; large ones are relabelled where they are.
 *
 *   spgc_evacuation_begin      condemns the nursery, or everything
 *   spgc_evacuation_forward    for each root
 *   spgc_evacuation_remember   minor collections: for each slot on a dirty card
 *   spgc_evacuation_drain      until nothing reachable is condemned
 *   spgc_evacuation_end        frees what is still condemned
 *
 * While it runs, the header of an object that moved holds its new address. Descriptors lie outside the heap, so a
 * header inside it is a forwarding address.
 * Invariant: a slot below a to-block's `scan` refers to no condemned object, or waits in `soon`. Drain ends when scan
 * has reached top in all blocks and nothing waits.
 */
#ifndef SPGC_HEAP_EVACUATE_H
#define SPGC_HEAP_EVACUATE_H

#include "heap/heap.h"
#include "support/random.h"

enum { SPGC_LANES = 2, SPGC_SOON_SLOTS = 16 };

/* An old block being filled. While it is open, the block's `top` is behind `cursor`. */
struct spgc_lane {
  uintptr_t cursor, limit; /* 0, 0 before the first block */
  uint32_t block;
};

struct spgc_evacuation {
  uintptr_t base; /* of heap, here for the loop's sake */
  size_t size;
  struct spgc_heap *heap;
  struct spgc_lane lanes[SPGC_LANES];
  uint32_t lane_count;         /* 1, or SPGC_LANES when the copy order is shuffled */
  uint32_t unscanned;          /* to-blocks before this one, in the order of heap->old, are scanned and closed */
  struct spgc_random *shuffle; /* NULL: breadth-first order */
  struct spgc_slot soon[SPGC_SOON_SLOTS]; /* a ring: entries soon_first to soon_next, modulo its size, wait */
  uint32_t soon_first, soon_next;
  uint64_t moved_objects;
  uint64_t moved_bytes;
};

/* Objects may have to move from `bytes` of small objects; this many blocks are needed at most. */
size_t spgc_evacuation_blocks(size_t bytes);

/* The heap must have been prepared (spgc_blocks_prepare) for spgc_evacuation_blocks of what is condemned. */
void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap);
void spgc_evacuation_begin_full(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                struct spgc_random *shuffle);

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot);
void spgc_evacuation_remember(struct spgc_evacuation *evacuation);
void spgc_evacuation_drain(struct spgc_evacuation *evacuation);
void spgc_evacuation_end(struct spgc_evacuation *evacuation);

#endif
