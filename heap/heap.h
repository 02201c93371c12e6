/* The heap: one reserved range of blocks with metadata beside it.
 *
 * A block is free and in one of the pools, or in use. Old blocks of small objects are found by
 * their space, in the order of addresses; the others in use are on one of the other lists.
 *
 * Invariants between operations:
 *   used_blocks == nursery.count + old_blocks + condemned.count + large_blocks
 *   old_blocks == blocks in SPGC_SPACE_OLD or OLD_CANDIDATE, all of them singles
 *   candidate_blocks >= blocks in SPGC_SPACE_OLD_CANDIDATE; both are 0 unless a full marking is
 *   under way (gc/trace/compact.h)
 *   large_blocks == sum of `run` over the large lists
 *   blocks below low_water, and blocks at or above high_water, were never accessible
 *   blocks below `boundary` are singles: blocks of small objects, and large objects of one block
 *   blocks above `boundary` belong to runs: larger objects, of adjacent blocks each (heap/runs.h)
 *   where a page has several blocks, `boundary` and the water marks are multiples of page_blocks,
 *   and the free blocks of a page are all protected or none is
 *   after a collection, the condemned lists and the nursery lists are empty
 *
 * Writers: fields are written at creation, by the one thread that allocates a block or collects,
 * and in a collection by its workers. A worker writes its own struct spgc_worker freely, and blocks
 * and lists under `lock`.
 */
#ifndef SPGC_HEAP_HEAP_H
#define SPGC_HEAP_HEAP_H

#include <pthread.h>
#include <stdbool.h>

#include "heap/block.h"
#include "heap/geometry.h"
#include "heap/object.h"
#include "heap/remembered/recorded.h"
#include "heap/vacated.h"
#include "heap/worklist.h"
#include "spgc/ref.h"

typedef uint16_t spgc_crossing_map[SPGC_CARDS_PER_BLOCK];
typedef uint64_t spgc_mark_words[SPGC_MARK_WORDS];

enum { SPGC_PLABS = 2 };
enum spgc_zone { SPGC_ZONE_SINGLES, SPGC_ZONE_RUNS, SPGC_ZONES };
enum { SPGC_RUN_CLASSES = 4 * 32 };

struct spgc_block_range {
  uint32_t first, end;
};

static const struct spgc_block_range SPGC_ALL_BLOCKS = {0, SPGC_BLOCK_NONE},
                                     SPGC_NO_BLOCKS = {0, 0};

/* A copier's allocation buffer: part of an old block, with copies in [start, cursor) and a filler
 * in [cursor, limit). */
struct spgc_plab {
  uintptr_t cursor, limit, start;
  size_t given;       /* bytes put into it before `start`, in this evacuation */
  uint32_t block;     /* or SPGC_BLOCK_NONE, and the addresses are 0 */
  uint16_t next_hole; /* after `limit`, or SPGC_NO_HOLE */
};

enum { SPGC_CACHE_LINES_APART = 128 }; /* keeps workers' data on separate lines */

/* What a worker keeps from one collection to the next. Only it writes this. */
struct spgc_worker {
  struct spgc_plab plabs[SPGC_PLABS];
  struct spgc_worklist stack; /* grey objects; empty outside a collection. Worker 0 has one from the
                                 start, others when first engaged */
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

/* Dirty cards that a collection scanned, and the groups that it searched for them. */
struct spgc_cards_read {
  size_t all;
  size_t groups;
};

struct spgc_heap {
  uintptr_t base;  /* first byte of the reserved range, aligned to a block */
  size_t size;     /* of the range, in bytes */
  uint8_t *spaces; /* enum spgc_space of each block */
  struct spgc_block *blocks;
  uint8_t *cards; /* card of the range's first byte */
  uint8_t *group_cards;
  uint8_t *group_stores;            /* fields of a group in store buffers */
  spgc_crossing_map *crossing_maps; /* valid below the crossing_map_top of a block */
  spgc_mark_words *marks;           /* heap/mark_bits.h */
  uint32_t block_count;             /* in the range */
  uint32_t boundary;                /* between single blocks and runs; constant */
  uint32_t page_blocks;             /* per page, at least 1; constant */
  uint32_t low_water, high_water;   /* blocks in [low_water, high_water) were accessible once */
  uint32_t low_dumped,
      high_dumped;           /* core files have the blocks between these, and their metadata */
  uint32_t recent_blocks;    /* recent peak of blocks in use. Before more are used or resident, the
                                other zone's idle blocks are decommitted. Written by
                                gc/policy/residency.c after each collection */
  uint32_t kept_resident;    /* resident blocks that mutators leave for copies, because faults would
                                lengthen the pause. Written by gc/policy/residency.c */
  uint32_t least_hole_bytes; /* smaller holes are not used (heap/hole.h). Written by
                                gc/policy/policy.c after each collection */
  uint32_t collection;       /* number of the current or last one. Written by gc/plan/collect.c */
  bool poison;               /* vacated blocks are filled with a pattern and protected */
  bool is_checked;           /* an access checker learns of vacated memory */
  struct spgc_vacated_record vacated; /* empty unless one of the two is true */

  struct spgc_block_list pools[SPGC_ZONES]
                              [SPGC_POOL_PROTECTED + 1]; /* free blocks that were accessible once */
  uint32_t run_hints[SPGC_RUN_CLASSES];                  /* where the search for a run begins */
  uint32_t next_protected; /* where the search for a protected single block begins. Written by the
                              thread that takes blocks */

  struct spgc_block_list nursery, nursery_large;
  struct spgc_block_list old_large;
  struct spgc_block_list condemned, condemned_large; /* empty outside a collection */

  uint32_t used_blocks;
  uint32_t peak_blocks;
  uint32_t old_blocks;       /* of small objects */
  uint32_t candidate_blocks; /* chosen when the current marking began */
  uint32_t large_blocks;
  uint32_t nursery_large_blocks;
  size_t old_large_bytes; /* sum of `large_bytes` over `old_large` */

  uint32_t recyclable; /* an old block below which none is recyclable; or SPGC_BLOCK_NONE. Mutators
                          read it at any time, and write it while they hold the cycle */
  uint32_t sparse;     /* as `recyclable`, for blocks at least half unused */
  size_t unused_bytes; /* about, in recyclable blocks. Written under heap->lock in a collection, by
                          the thread that holds the cycle at other times */
  uint32_t unswept;    /* an old block below which none is unswept; or SPGC_BLOCK_NONE */

  bool keeps_marks; /* the marks of the last marking are valid (gc/trace/mark.h). Written by the
                       marker, with the world stopped */
  size_t born_old_bytes; /* in holes that mutators took since the last collection. Under
                            SPGC_LOCK_HEAP */

  /* All threads'. Written under the lock of the threads' list, with no collection in progress. */
  struct spgc_store_buffer *store_buffers;

  struct spgc_recorded recorded; /* slots that lead into candidate blocks */

  struct spgc_worker workers[SPGC_MOST_WORKERS];
  pthread_mutex_t lock; /* held by a worker of a collection while it takes a block */
};

/* Reserves the range and its tables for `limit` bytes of blocks, in at most `most` bytes of address
 * space. If these do not suffice for runs however the heap is fragmented (heap/runs.h), the range
 * is smaller, but at least twice the limit. False if even that is refused; nothing remains then. */
bool spgc_heap_create(struct spgc_heap *heap, size_t limit, size_t most, bool poison);
void spgc_heap_destroy(struct spgc_heap *heap);

/* Closes all PLABs and forgets the recyclable blocks: old blocks are about to change. */
void spgc_heap_forget_plabs(struct spgc_heap *heap);

static inline bool spgc_heap_spans(const struct spgc_heap *heap, uintptr_t address) {
  return address - heap->base < heap->size;
}

/* Words from `base` to an address. If the distance is not a multiple of a word, the rotation puts
 * its low bits on top, so the result is larger than any range: one comparison checks range and
 * alignment. */
static inline size_t spgc_words_between(uintptr_t base, uintptr_t word) {
  enum { WORD_SHIFT = 3, ADDRESS_BITS = 64 };
  uintptr_t offset = word - base;
  return offset >> WORD_SHIFT | offset << (ADDRESS_BITS - WORD_SHIFT);
}

/* The one test for a reference: all other words are ignored. */
static inline bool spgc_heap_contains(const struct spgc_heap *heap, uintptr_t word) {
  return spgc_words_between(heap->base, word) < heap->size / SPGC_WORD_BYTES;
}

static inline uint32_t spgc_heap_block_of(const struct spgc_heap *heap, uintptr_t address) {
  return (uint32_t)((address - heap->base) >> SPGC_BLOCK_SHIFT);
}

static inline uintptr_t spgc_heap_block_start(const struct spgc_heap *heap, uint32_t index) {
  return heap->base + ((uintptr_t)index << SPGC_BLOCK_SHIFT);
}

static inline struct spgc_ref spgc_heap_first_object(const struct spgc_heap *heap, uint32_t index) {
  return (struct spgc_ref){spgc_heap_block_start(heap, index)};
}

static inline enum spgc_zone spgc_heap_zone(const struct spgc_heap *heap, uint32_t index) {
  return index < heap->boundary ? SPGC_ZONE_SINGLES : SPGC_ZONE_RUNS;
}

/* Mutators take free blocks while the old space is marked: a marker sees the old or the new
 * space. */
static inline enum spgc_space spgc_heap_space(const struct spgc_heap *heap, uint32_t index) {
  return (enum spgc_space)__atomic_load_n(&heap->spaces[index], __ATOMIC_RELAXED);
}

/* The first old block of small objects from `index` onwards, or SPGC_BLOCK_NONE. */
static inline uint32_t spgc_old_from(const struct spgc_heap *heap, uint32_t index) {
  while (index < heap->boundary && !spgc_space_is_old_small(spgc_heap_space(heap, index)))
    index++;
  return index < heap->boundary ? index : SPGC_BLOCK_NONE;
}

/* Other workers may write the flag at the same time. */
static inline void spgc_heap_flag_weak(struct spgc_heap *heap, struct spgc_ref object) {
  __atomic_store_n(&heap->blocks[spgc_heap_block_of(heap, object.word)].has_weak, true,
                   __ATOMIC_RELAXED);
}

/* In address order: adjacent memory and metadata are read faster. */
static inline uint32_t spgc_old_first(const struct spgc_heap *heap) {
  return spgc_old_from(heap, heap->low_water);
}

static inline uint32_t spgc_old_after(const struct spgc_heap *heap, uint32_t index) {
  return spgc_old_from(heap, index + 1);
}

/* Other workers may read the space at the same time. One that searches for dirty cards must see the
 * cards that a block had before it became old (spgc_block_is_old). */
static inline void spgc_heap_set_space(struct spgc_heap *heap, uint32_t index,
                                       enum spgc_space space) {
  __atomic_store_n(&heap->spaces[index], (uint8_t)space, __ATOMIC_RELEASE);
}

static inline enum spgc_space spgc_heap_exchange_space(struct spgc_heap *heap, uint32_t index,
                                                       enum spgc_space space) {
  return (enum spgc_space)__atomic_exchange_n(&heap->spaces[index], (uint8_t)space,
                                              __ATOMIC_ACQ_REL);
}

#endif
