/* Objects born old (docs/heap.md): a mutator allocates in the holes of recyclable blocks, which the
 * holder of the cycle (gc/trace/cycle.h) takes and returns. The mutator opens holes; it, or a
 * thread that has stopped it, publishes and closes the open one. Every collection first returns all
 * blocks.
 *
 * Initialising stores have no barrier, so the first collection after blocks were taken
 * (heap->born_old_bytes) cannot rely on cards. */
#ifndef SPGC_HEAP_BORN_OLD_H
#define SPGC_HEAP_BORN_OLD_H

#include "heap/heap.h"

enum {
  SPGC_BORN_OLD_BLOCKS = SPGC_COMMIT_BLOCKS,
};

/* Written by the mutator, or with the world stopped. */
struct spgc_born_old {
  uint32_t blocks[SPGC_BORN_OLD_BLOCKS];
  uint32_t next, count;   /* the open hole is in the last of blocks[0, next) */
  uint16_t next_hole;     /* first unopened */
  uintptr_t start, limit; /* the open hole; 0: none. Other threads may read `start` */
  size_t passed_bytes;    /* in holes passed over since the last return */
};

void spgc_born_old_create(struct spgc_born_old *born_old);

/* Takes the next recyclable blocks with holes of `bytes`, when the former are used up and no hole
 * is open. Returns the bytes of all their holes. */
size_t spgc_born_old_take(struct spgc_heap *heap, struct spgc_born_old *born_old, size_t bytes);

/* Takes a free block, as one hole, which the limit admits. Returns its bytes, or 0. Needs
 * SPGC_LOCK_HEAP. */
size_t spgc_born_old_take_free(struct spgc_heap *heap, struct spgc_born_old *born_old);

/* Closes the open hole, and opens the next. Smaller ones stay fillers until the next sweep. False,
 * with no hole open, if there is none. */
bool spgc_born_old_next_hole(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end,
                             size_t bytes);

/* The open hole's objects end at `end`, or both it and `end` are 0. */
void spgc_born_old_publish(const struct spgc_born_old *born_old, uintptr_t end);

/* The rest of the hole is the next one, if large enough. */
void spgc_born_old_close(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end);

/* Returns the bytes of unopened holes. */
size_t spgc_born_old_return(struct spgc_heap *heap, struct spgc_born_old *born_old);

#endif
