/* Blocks, and the lists they are on.
 *
 * Invariant: a block is on exactly one list, which determines its space; except old blocks of small
 * objects, and the second and later blocks of a large object's run, which are on none. The space is
 * a byte in heap->spaces, apart from struct spgc_block, because the collector reads it for every
 * reference. */
#ifndef SPGC_HEAP_BLOCK_H
#define SPGC_HEAP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPGC_BLOCK_NONE = UINT32_MAX };

/* The order matters to the functions below. */
enum spgc_space {
  SPGC_SPACE_FREE,            /* or never used */
  SPGC_SPACE_OLD,             /* small objects that survived a collection */
  SPGC_SPACE_OLD_CANDIDATE,   /* small objects that survived, in a block that a compaction may
                                 evacuate */
  SPGC_SPACE_OLD_LARGE,       /* first block of a large object */
  SPGC_SPACE_LARGE_REST,      /* its later blocks, at any age */
  SPGC_SPACE_NURSERY,         /* small objects allocated since the last collection */
  SPGC_SPACE_NURSERY_LARGE,   /* first block of a large object */
  SPGC_SPACE_CONDEMNED,       /* in a collection: small objects, which survive by evacuation */
  SPGC_SPACE_CONDEMNED_LARGE, /* in a collection: a large object, which survives by changing its
                                 space */
};

static inline bool spgc_space_is_old_small(enum spgc_space space) {
  return space == SPGC_SPACE_OLD || space == SPGC_SPACE_OLD_CANDIDATE;
}

static inline bool spgc_space_is_old(enum spgc_space space) {
  return space >= SPGC_SPACE_OLD && space <= SPGC_SPACE_OLD_LARGE;
}

static inline bool spgc_space_is_young(enum spgc_space space) {
  return space == SPGC_SPACE_NURSERY || space == SPGC_SPACE_NURSERY_LARGE;
}

static inline bool spgc_space_is_condemned(enum spgc_space space) {
  return space >= SPGC_SPACE_CONDEMNED;
}

/* The pool of a free block. The first two begin with the most recent additions, in address order:
 * the processor reads objects in ascending order faster. */
enum spgc_pool {
  SPGC_POOL_RESIDENT,    /* accessible, with pages */
  SPGC_POOL_DECOMMITTED, /* accessible, without pages, unless the system keeps them (mlockall) */
  SPGC_POOL_PROTECTED,   /* inaccessible; the longest free block is first */
};

/* `next`, `previous`, `run`, `head` and `pool` are written by the thread that takes or frees the
 * block; in a collection, by its workers under heap->lock. */
struct spgc_block {
  uint32_t next, previous; /* neighbours on the list, or SPGC_BLOCK_NONE */
  uint32_t top; /* end of the objects. Nursery: written by the owning thread when it publishes its
                   TLAB. Old: the whole block */
  uint32_t crossing_map_top; /* the crossing map is populated below this offset. Written by the
                                worker that reads or sweeps the block */
  uint32_t run;              /* large object: number of its blocks */
  uint32_t head;             /* later block of a large object: its first block */
  uint32_t live; /* written by the marker: bytes marked by the current or last marking; of a large
                    object 1 or 0 */
  bool unswept;  /* old: the mark bits show the live objects, but the dead ones are not fillers yet.
                    From spgc_sweep_begin to spgc_sweep_block */
  bool is_recyclable;  /* old: has holes for survivors and new objects. Set by spgc_sweep_begin, and
                          by a mutator that leaves holes; cleared by the PLAB or mutator that takes
                          the block */
  uint16_t first_hole; /* old, swept: word index of its first hole, or SPGC_NO_HOLE */
  uint16_t hole_words; /* words of unopened holes. Written by the sweep, and by the mutator that
                          opens them */
  bool is_fresh; /* old: taken free, or scanned, since the last scan of all old objects began, so no
                    worker needs to walk it. Written by the worker that takes or scans it */
  bool copies_wait; /* a worker's stack was full: some copies in this block are not scanned yet.
                       Written by workers of an evacuation */
  bool marks_wait;  /* the marker's stack was full: some marked objects are not scanned yet. Written
                       by markers */
  bool has_weak; /* old: may contain an array with weak elements. Set by workers that mark or move
                    one, cleared by weak processing */
  bool was_old;  /* condemned under move=always, and old before */
  enum spgc_pool pool;    /* of a free block between the water marks */
  uint32_t leading_slots; /* candidate: recorded slots that lead into it, about. Written by workers
                             that record them */
  uint32_t vacated_by;    /* heap->collection when it was freed, or, if it is unswept, when its dead
                             objects were found */
  uint64_t large_bytes;   /* large object: its size */
};

struct spgc_block_list {
  uint32_t first, last, count;
};

static inline struct spgc_block_list spgc_block_list_empty(void) {
  struct spgc_block_list list = {SPGC_BLOCK_NONE, SPGC_BLOCK_NONE, 0};
  return list;
}

static inline void spgc_block_list_append(struct spgc_block_list *list, struct spgc_block *blocks,
                                          uint32_t index) {
  blocks[index].previous = list->last;
  blocks[index].next = SPGC_BLOCK_NONE;
  if (list->last == SPGC_BLOCK_NONE)
    list->first = index;
  else
    blocks[list->last].next = index;
  list->last = index;
  list->count++;
}

static inline void spgc_block_list_prepend(struct spgc_block_list *list, struct spgc_block *blocks,
                                           uint32_t index) {
  blocks[index].next = list->first;
  blocks[index].previous = SPGC_BLOCK_NONE;
  if (list->first == SPGC_BLOCK_NONE)
    list->last = index;
  else
    blocks[list->first].previous = index;
  list->first = index;
  list->count++;
}

static inline void spgc_block_list_remove(struct spgc_block_list *list, struct spgc_block *blocks,
                                          uint32_t index) {
  uint32_t next = blocks[index].next, previous = blocks[index].previous;
  if (previous == SPGC_BLOCK_NONE)
    list->first = next;
  else
    blocks[previous].next = next;
  if (next == SPGC_BLOCK_NONE)
    list->last = previous;
  else
    blocks[next].previous = previous;
  list->count--;
}

static inline void spgc_block_list_splice(struct spgc_block_list *to, struct spgc_block_list *from,
                                          struct spgc_block *blocks) {
  if (from->first == SPGC_BLOCK_NONE)
    return;
  blocks[from->first].previous = to->last;
  if (to->last == SPGC_BLOCK_NONE)
    to->first = from->first;
  else
    blocks[to->last].next = from->first;
  to->last = from->last;
  to->count += from->count;
  *from = spgc_block_list_empty();
}

#endif
