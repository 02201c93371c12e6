/* Blocks and the lists they are on.
 *
 * A block is on exactly one list, except the second and later blocks of a large object's run, which
 * are on none. The list a block is on determines its space (heap->spaces, a byte per block, kept
 * apart because the collector reads it for every reference).
 */
#ifndef SPGC_HEAP_BLOCK_H
#define SPGC_HEAP_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPGC_BLOCK_NONE = UINT32_MAX };

/* Written by the allocator when it takes a block and by the collector. The order matters: see
 * spgc_space_is_young and spgc_space_is_condemned. */
enum spgc_space {
  SPGC_SPACE_FREE,          /* also: never used */
  SPGC_SPACE_OLD,           /* small objects that survived a collection */
  SPGC_SPACE_OLD_LARGE,     /* first block of a large object that survived */
  SPGC_SPACE_LARGE_REST,    /* second or later block of a large object, whatever its age */
  SPGC_SPACE_NURSERY,       /* small objects allocated since the last collection */
  SPGC_SPACE_NURSERY_LARGE, /* first block of a large object allocated since the last collection */
  SPGC_SPACE_CONDEMNED,     /* during a collection: small objects that survive only by evacuation */
  SPGC_SPACE_CONDEMNED_LARGE, /* during a collection: a large object that survives only by being
                                 relabelled */
};

static inline bool spgc_space_is_young(enum spgc_space space) {
  return space == SPGC_SPACE_NURSERY || space == SPGC_SPACE_NURSERY_LARGE;
}

static inline bool spgc_space_is_condemned(enum spgc_space space) {
  return space >= SPGC_SPACE_CONDEMNED;
}

/* Where a free block waits. */
enum spgc_pool {
  SPGC_POOL_RESIDENT,    /* accessible, with pages: most recently freed first */
  SPGC_POOL_DECOMMITTED, /* accessible, without pages, unless the system keeps them (mlockall) */
  SPGC_POOL_PROTECTED,   /* inaccessible: longest free first */
};

struct spgc_block {
  uint32_t next, previous; /* neighbours on the list, or SPGC_BLOCK_NONE */
  uint32_t top; /* nursery: bytes in use, behind the truth while a thread has the block open */
  uint32_t crossing_map_top; /* objects below it are entered in the block's crossing map
                                (heap/crossing_map.h) */
  uint32_t run;              /* large object: blocks it owns */
  uint32_t head;             /* second or later block of a large object: its first */
  uint32_t live; /* old, small objects: bytes marked by the last marking, or by the one under way;
                    large: 0 or 1, whether it was marked */
  bool unswept; /* old, small objects: its mark bits tell what lives in it, and nothing else does */
  bool is_recyclable;  /* old, small objects: survivors may be put between its objects */
  uint16_t first_hole; /* old, swept: word index of its first room (heap/hole.h), or SPGC_NO_HOLE */
  bool copies_wait; /* references of some of its objects were not forwarded: the worker's stack was
                       full */
  bool marks_wait;  /* some of its marked objects were not pushed on the marker's stack, which was
                       full */
  enum spgc_pool pool;  /* free block below the high-water mark: the list it is on */
  uint64_t large_bytes; /* large object: bytes of the object */
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

static inline uint32_t spgc_block_list_take_first(struct spgc_block_list *list,
                                                  struct spgc_block *blocks) {
  uint32_t index = list->first;
  if (index != SPGC_BLOCK_NONE)
    spgc_block_list_remove(list, blocks, index);
  return index;
}

/* Moves everything on `from` to the end of `to`. */
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
