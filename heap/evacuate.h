/* Evacuation: the condemned objects that are reached move to old blocks; large ones are relabelled where they are.
 *
 *   spgc_evacuation_begin_...  condemns the nursery, everything, or sparse old blocks
 *   spgc_evacuation_forward    for each root
 *   spgc_evacuation_remember   when only the nursery is condemned: for each slot on a dirty card
 *   spgc_evacuation_update     when sparse blocks are condemned: for each slot of the others
 *   spgc_evacuation_drain      until nothing reachable is condemned
 *   spgc_evacuation_end        frees what is still condemned
 *
 * While it runs, the header of an object that moved holds its new address. Descriptors lie outside the heap, so a
 * header inside it is a forwarding address.
 * Invariant: a slot of a survivor refers to no condemned object, or waits in `soon`, or the survivor waits on
 * heap->copied or heap->gray_large, or in a block with copies_wait.
 */
#ifndef SPGC_HEAP_EVACUATE_H
#define SPGC_HEAP_EVACUATE_H

#include "heap/heap.h"
#include "heap/mark.h"
#include "heap/watch.h"
#include "support/random.h"

enum { SPGC_SOON_SLOTS = 16 };

struct spgc_evacuation {
  uintptr_t base; /* of heap, here for the loop's sake */
  size_t size;
  struct spgc_heap *heap;
  struct spgc_marker *marker;             /* the marking that goes on meanwhile, or NULL */
  struct spgc_random *shuffle;            /* puts copies in free blocks in a random order, or NULL */
  const struct spgc_watch *watch;         /* told of each condemned object as it is reached, or NULL */
  bool overflowed;                        /* some blocks have copies_wait */
  struct spgc_slot soon[SPGC_SOON_SLOTS]; /* a ring: entries soon_first to soon_next, modulo its size, wait */
  uint32_t soon_first, soon_next;
  uint64_t moved_objects;
  uint64_t moved_bytes;
  uint64_t relabelled_bytes; /* of large objects */
  uint64_t dirty_cards;
};

/* Objects may have to move from `bytes` of small objects; this many blocks are needed at most. */
size_t spgc_evacuation_blocks(size_t bytes);

/* The heap must have been prepared (spgc_blocks_prepare) for spgc_evacuation_blocks of what is condemned. */
void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                 struct spgc_marker *marker);
void spgc_evacuation_begin_all(struct spgc_evacuation *evacuation, struct spgc_heap *heap, struct spgc_random *shuffle);

enum {
  SPGC_SPARSE_DEFAULT = SPGC_BLOCK_BYTES / 4,
  SPGC_SPARSE_TIGHT = SPGC_BLOCK_BYTES / 4 * 3, /* when the limit is near */
};

/* Condemns old blocks of which at most `most_live` bytes live, as many as copies fit in `free_blocks`. All blocks are
 * swept, nothing is young. False when that is not worth its trouble or the system refuses; nothing has begun then. */
bool spgc_evacuation_begin_sparse(struct spgc_evacuation *evacuation, struct spgc_heap *heap, size_t most_live,
                                  size_t free_blocks);

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot);
void spgc_evacuation_remember(struct spgc_evacuation *evacuation);
void spgc_evacuation_update(struct spgc_evacuation *evacuation);
void spgc_evacuation_drain(struct spgc_evacuation *evacuation);
void spgc_evacuation_end(struct spgc_evacuation *evacuation);

#endif
