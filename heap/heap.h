/* The heap: one reserved range of blocks with metadata beside it.
 *
 * Invariants between operations:
 *   used_blocks == nursery.count + old_blocks + condemned.count + large_blocks
 *   old_blocks == blocks in SPGC_SPACE_OLD or OLD_CANDIDATE, all of them singles
 *   candidate_blocks >= blocks in SPGC_SPACE_OLD_CANDIDATE; both are 0 outside a full marking
 *   large_blocks == sum of `run` over the large lists
 *   blocks outside [low_water, high_water) were never accessible
 *   blocks below `boundary` are singles: of small objects, or large objects of one block
 *   blocks above `boundary` belong to runs of adjacent blocks (heap/runs.h)
 *   if a page has several blocks, `boundary` and the water marks are multiples of page_blocks, and
 *   all free blocks of a page are protected or none is
 *   after a collection, the condemned lists and the nursery lists are empty
 *
 * Writers, unless a field names others: the thread that allocates a block or collects, and its
 * workers, which write blocks and lists under `lock`. */
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

/* Where the objects of a block go (heap/relocation.h). */
struct spgc_relocation {
  uintptr_t to[2];
  uint16_t split;                        /* word index of the first object that goes to `to[1]` */
  uint16_t live_before[SPGC_MARK_WORDS]; /* live words of the block before each mark word */
};

enum { SPGC_PLABS = 2 };
enum spgc_zone { SPGC_ZONE_SINGLES, SPGC_ZONE_RUNS, SPGC_ZONES };
enum { SPGC_RUN_CLASSES = 4 * 32 };

/* Blocks, or other numbers. */
struct spgc_range {
  uint32_t first, end;
};

static const struct spgc_range SPGC_ALL_BLOCKS = {0, SPGC_BLOCK_NONE}, SPGC_NO_BLOCKS = {0, 0};

/* Part of an old block, with copies in [start, cursor) and a filler in [cursor, limit). */
struct spgc_plab {
  uintptr_t cursor, limit, start;
  size_t given;       /* bytes, in this evacuation, before `start` */
  uint32_t block;     /* or SPGC_BLOCK_NONE */
  uint16_t next_hole; /* or SPGC_NO_HOLE */
};

/* The classes of sizes for which holes are searched; see heap/hole.h. */
enum { SPGC_HOLE_CLASSES = 3 };

enum { SPGC_CACHE_LINES_APART = 128 };

/* Only the worker writes it. */
struct spgc_worker {
  struct spgc_plab plabs[SPGC_PLABS];
  struct spgc_worklist stack; /* grey objects; empty outside a collection */
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

struct spgc_heap {
  uintptr_t base; /* aligned to a block */
  size_t size;
  uint8_t *spaces; /* enum spgc_space */
  struct spgc_block *blocks;
  uint8_t *cards;
  uint8_t *group_cards;
  uint8_t *group_stores;            /* buffered fields of each group */
  spgc_crossing_map *crossing_maps; /* valid below a block's crossing_map_top */
  spgc_mark_words *marks;
  struct spgc_relocation *relocations; /* valid in SPGC_SPACE_RELOCATING */
  uint32_t block_count;
  uint32_t boundary;    /* constant */
  uint32_t page_blocks; /* at least 1; constant */
  uint32_t low_water, high_water;
  uint32_t low_dumped, high_dumped; /* limits of what core files have */
  uint32_t kept_resident;    /* for copies: faults lengthen pauses. Written by gc/policy/policy.c */
  uint32_t least_hole_bytes; /* smaller ones are unused. Written by gc/policy/policy.c */
  uint32_t collection;       /* atomic; written by gc/plan/collect.c */
  bool poison;
  bool is_checked;                    /* by an access checker */
  struct spgc_vacated_record vacated; /* empty unless `poison` or `is_checked` */

  struct spgc_block_list pools[SPGC_ZONES][SPGC_POOL_PROTECTED + 1]; /* free blocks */
  uint32_t run_hints[SPGC_RUN_CLASSES];
  uint32_t next_protected; /* where the next search begins */

  struct spgc_block_list nursery, nursery_large;
  struct spgc_block_list old_large;
  struct spgc_block_list condemned, condemned_large;

  uint32_t used_blocks;
  uint32_t peak_blocks;
  uint32_t old_blocks;
  uint32_t candidate_blocks;
  uint32_t large_blocks;
  uint32_t nursery_large_blocks;
  size_t old_large_bytes;
  size_t bytes_per_work; /* of the last candidates: live bytes / evacuation_work */

  /* For each class of sizes, no block below has a hole for it, as far as is known;
   * SPGC_BLOCK_NONE: none has. Written under the cycle. */
  uint32_t recyclable[SPGC_HOLE_CLASSES];
  size_t unused_bytes;   /* about. Written under heap->lock in a collection, else the cycle */
  uint32_t unswept;      /* no block below is; or SPGC_BLOCK_NONE. Written under the cycle */
  uint32_t hole_percent; /* of a block's unused bytes, others are in smaller gaps; written when a
                            sweep ends, under the cycle */

  bool keeps_marks;      /* of the last marking. Written with the world stopped */
  size_t born_old_bytes; /* since the last collection. Under SPGC_LOCK_HEAP */

  /* Written under the lock of the list of threads. */
  struct spgc_store_buffer *store_buffers;

  struct spgc_recorded recorded;   /* slots that lead into candidate blocks */
  struct spgc_recorded weak_slots; /* of an evacuation; empty outside one */

  uint32_t excess_blocks; /* relocating blocks to be given back before they are freed, to stay below
                             the limit. Workers subtract what they give back */

  struct spgc_worker workers[SPGC_MOST_WORKERS];
  pthread_mutex_t lock; /* held by a worker while it takes a block */
};

/* If `most` bytes of address space do not suffice for runs however fragmented (heap/runs.h), the
 * range is smaller, but at least twice the limit. False, with nothing reserved, if even that is
 * refused. */
bool spgc_heap_create(struct spgc_heap *heap, size_t limit, size_t most, bool poison);
void spgc_heap_destroy(struct spgc_heap *heap);

/* Blocks become accessible with their metadata:
 *
 *   0                    low_water           boundary            high_water           block_count
 *   | inaccessible ...   | single blocks,    | runs,             | inaccessible ...   |
 *                        | accessible once   | accessible once   |
 *
 * Core files leave out blocks that were never accessible.
 *
 * `count` is a multiple of heap->page_blocks. Returns the first block, or SPGC_BLOCK_NONE, without
 * a change. */
uint32_t spgc_commit_more(struct spgc_heap *heap, enum spgc_zone zone, size_t count);

/* And the recyclable blocks: old blocks are about to change. */
void spgc_heap_forget_plabs(struct spgc_heap *heap);

static inline bool spgc_heap_spans(const struct spgc_heap *heap, uintptr_t address) {
  return address - heap->base < heap->size;
}

/* The rotated low bits are on top: one comparison checks range and alignment. */
static inline size_t spgc_words_between(uintptr_t base, uintptr_t word) {
  enum { WORD_SHIFT = 3, ADDRESS_BITS = 64 };
  uintptr_t offset = word - base;
  return offset >> WORD_SHIFT | offset << (ADDRESS_BITS - WORD_SHIFT);
}

/* The one test for a reference. */
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

/* During a marking, mutators take blocks: a marker sees the old or the new space. */
static inline enum spgc_space spgc_heap_space(const struct spgc_heap *heap, uint32_t index) {
  return (enum spgc_space)__atomic_load_n(&heap->spaces[index], __ATOMIC_RELAXED);
}

/* Or SPGC_BLOCK_NONE. */
static inline uint32_t spgc_old_from(const struct spgc_heap *heap, uint32_t index) {
  while (index < heap->boundary && !spgc_space_is_old_small(spgc_heap_space(heap, index)))
    index++;
  return index < heap->boundary ? index : SPGC_BLOCK_NONE;
}

static inline void spgc_heap_flag_weak(struct spgc_heap *heap, struct spgc_ref object) {
  __atomic_store_n(&heap->blocks[spgc_heap_block_of(heap, object.word)].has_weak, true,
                   __ATOMIC_RELAXED);
}

/* Address order is read faster. */
static inline uint32_t spgc_old_first(const struct spgc_heap *heap) {
  return spgc_old_from(heap, heap->low_water);
}

static inline uint32_t spgc_old_after(const struct spgc_heap *heap, uint32_t index) {
  return spgc_old_from(heap, index + 1);
}

/* A worker that searches for dirty cards must see the block's earlier cards (spgc_block_is_old). */
static inline void spgc_heap_set_space(struct spgc_heap *heap, uint32_t index,
                                       enum spgc_space space) {
  __atomic_store_n(&heap->spaces[index], (uint8_t)space, __ATOMIC_RELEASE);
}

#endif
