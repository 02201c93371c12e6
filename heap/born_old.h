/* Objects born old: a mutator allocates in the holes of recyclable blocks.
 *
 *   spgc_born_old_take       takes some recyclable blocks          the thread that holds the cycle
 *   spgc_born_old_next_hole  opens the next of their holes         the mutator
 *   spgc_born_old_publish    makes the open hole walkable          the mutator, or in a stop
 *   spgc_born_old_close      closes the open hole                  the mutator, or in a stop
 *   spgc_born_old_return     makes what is left recyclable again   the thread that holds the cycle
 *
 * The cycle is that of gc/trace/cycle.h, whose thread sweeps blocks and follows the old list.
 *
 * Invariants of a block from its taking to its return: it is swept, and no marking is in progress.
 *   So only the mutator writes the block's memory, and nobody walks it, except in a stop, when its
 *   open hole is published. Every collection first returns all blocks.
 *
 * Objects born old have no marks, like survivors of a collection without a marking. They may refer
 * to young objects from clean cards, because initialising stores have no barrier. So the first
 * collection after blocks were taken (heap->born_old_bytes) cannot rely on cards to find young
 * objects: it promotes the nursery in place, or condemns everything. */
#ifndef SPGC_HEAP_BORN_OLD_H
#define SPGC_HEAP_BORN_OLD_H

#include "heap/heap.h"

enum {
  SPGC_BORN_OLD_BLOCKS = 32,   /* taken at once */
  SPGC_LARGEST_BORN_OLD = 256, /* bytes: too many holes would be too small for larger objects */
};

/* Written by the mutator, or with the world stopped. */
struct spgc_born_old {
  uint32_t blocks[SPGC_BORN_OLD_BLOCKS];
  uint32_t next, count;   /* blocks[0, next) were begun, and the last of them has the open hole */
  uint16_t next_hole;     /* first unopened hole of the current block */
  uintptr_t start, limit; /* the open hole; 0: none. Other threads may read `start` */
  uintptr_t end;          /* end of its objects when it was published */
  size_t passed_bytes;    /* passed-over holes since the last return */
};

void spgc_born_old_create(struct spgc_born_old *born_old);

/* Takes the next recyclable blocks with holes, if any, and sweeps them. The former blocks are used
 * up, and no hole is open. Returns the bytes of the holes. */
size_t spgc_born_old_take(struct spgc_heap *heap, struct spgc_born_old *born_old);

/* Takes a free block instead, as one hole, which the limit admits. Returns its bytes, or 0. The
 * caller also owns the lists of blocks. */
size_t spgc_born_old_take_free(struct spgc_heap *heap, struct spgc_born_old *born_old);

/* Closes the open hole, if any, whose objects end at `end`, and opens the next of at least `bytes`.
 * Smaller ones stay fillers until the next sweep. False if there is none. */
bool spgc_born_old_next_hole(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end,
                             size_t bytes);

void spgc_born_old_publish(struct spgc_born_old *born_old, uintptr_t end);

/* Its rest is the next hole, if large enough. */
void spgc_born_old_close(struct spgc_heap *heap, struct spgc_born_old *born_old, uintptr_t end);

/* No hole is open. Returns the bytes of unopened holes. */
size_t spgc_born_old_return(struct spgc_heap *heap, struct spgc_born_old *born_old);

#endif
