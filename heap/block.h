/* Invariant: a block is on exactly one list, which determines its space; old blocks of small
 * objects, and all but a run's first, are on none. heap->spaces has the spaces, because one is read
 * for every reference. */
#ifndef SPGC_HEAP_BLOCK_H
#define SPGC_HEAP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPGC_BLOCK_NONE = UINT32_MAX };

/* The predicates below rely on the order. */
enum spgc_space {
  SPGC_SPACE_FREE,
  SPGC_SPACE_OLD,
  SPGC_SPACE_OLD_CANDIDATE, /* may be evacuated by a compaction */
  SPGC_SPACE_OLD_LARGE,     /* first block of a large object */
  SPGC_SPACE_LARGE_REST,    /* later blocks, at any age */
  SPGC_SPACE_NURSERY,       /* small objects */
  SPGC_SPACE_NURSERY_LARGE,
  SPGC_SPACE_CONDEMNED,       /* in a collection: small objects, to be copied */
  SPGC_SPACE_CONDEMNED_LARGE, /* to be relabelled */
  SPGC_SPACE_RELOCATING,      /* in a full collection: small objects with known new addresses */
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

/* The first two begin with the latest additions, in address order, which is read faster. */
enum spgc_pool {
  SPGC_POOL_RESIDENT,    /* accessible, with pages */
  SPGC_POOL_DECOMMITTED, /* without pages, unless the system keeps them (mlockall) */
  SPGC_POOL_PROTECTED,   /* inaccessible; longest free first */
};

/* Writers of `next`, `previous`, `run`, `head` and `pool`: the thread that takes or frees the
 * block; in a collection, under heap->lock. */
struct spgc_block {
  uint32_t next, previous; /* or SPGC_BLOCK_NONE */
  uint32_t top;            /* end of the objects; old: the block's. Written when a TLAB publishes */
  uint32_t crossing_map_top; /* end of the crossing map; written by who reads or sweeps */
  uint32_t run;              /* large object: its blocks */
  uint32_t head;             /* large object, later block: the first block */
  uint32_t live;         /* bytes, or 1 for a large object, marked by the current or last marking */
  bool unswept;          /* dead objects are not fillers yet */
  bool is_recyclable;    /* old: has unused holes; set by the sweep, and by who leaves some */
  uint16_t first_hole;   /* old, swept: or SPGC_NO_HOLE */
  uint16_t hole_words;   /* in unopened holes; written by the sweep and by who opens them */
  uint16_t largest_hole; /* likewise, the words of one; at least */
  bool is_fresh;         /* old: taken free since the last relocation was planned */
  bool copies_wait;      /* a stack was full: some copies are not scanned yet */
  bool marks_wait;       /* likewise, marked objects */
  bool has_weak;         /* old: may have weak elements; cleared by weak processing */
  bool was_old;          /* condemned under move=always, and old before */
  enum spgc_pool pool;
  uint32_t evacuation_work; /* candidate: about how many objects and recorded slots it has */
  uint32_t vacated_by;      /* heap->collection when freed, or its dead objects were found */
  uint64_t large_bytes;
};

struct spgc_block_list {
  uint32_t first, last, count;
};

static inline struct spgc_block_list spgc_block_list_empty(void) {
  struct spgc_block_list list = {SPGC_BLOCK_NONE, SPGC_BLOCK_NONE, 0};
  return list;
}

/* Makes two blocks neighbours, or one of them the first or last. */
static inline void spgc_block_list_join(struct spgc_block_list *list, struct spgc_block *blocks,
                                        uint32_t previous, uint32_t next) {
  *(previous == SPGC_BLOCK_NONE ? &list->first : &blocks[previous].next) = next;
  *(next == SPGC_BLOCK_NONE ? &list->last : &blocks[next].previous) = previous;
}

static inline void spgc_block_list_insert(struct spgc_block_list *list, struct spgc_block *blocks,
                                          uint32_t previous, uint32_t index, uint32_t next) {
  spgc_block_list_join(list, blocks, previous, index);
  spgc_block_list_join(list, blocks, index, next);
  list->count++;
}

static inline void spgc_block_list_append(struct spgc_block_list *list, struct spgc_block *blocks,
                                          uint32_t index) {
  spgc_block_list_insert(list, blocks, list->last, index, SPGC_BLOCK_NONE);
}

static inline void spgc_block_list_remove(struct spgc_block_list *list, struct spgc_block *blocks,
                                          uint32_t index) {
  spgc_block_list_join(list, blocks, blocks[index].previous, blocks[index].next);
  list->count--;
}

static inline void spgc_block_list_splice(struct spgc_block_list *to, struct spgc_block_list *from,
                                          struct spgc_block *blocks) {
  if (from->first == SPGC_BLOCK_NONE)
    return;
  spgc_block_list_join(to, blocks, to->last, from->first);
  to->last = from->last;
  to->count += from->count;
  *from = spgc_block_list_empty();
}

#endif
