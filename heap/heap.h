/* The heap: one reserved range of blocks with side metadata.
 *
 * Glossary: a block is FREE and in one of the pools, or in use and on one of the other lists.
 * Invariants between operations:
 *   used_blocks == nursery.count + old.count + condemned.count + large_blocks
 *   large_blocks == sum of `run` over the large lists
 *   blocks below low_water, or at or above high_water, were never touched and are inaccessible
 *   blocks below the boundary are single: blocks of small objects, and large objects of one block;
 * any free one will do. Above lie larger objects, of which each is a run of adjacent blocks
 * (heap/runs.h) after a collection the condemned and gray lists and the nursery lists are empty All
 * fields are written at creation, or by the one thread that allocates a block or collects, or in a
 * collection by its workers: what each has of its own, and blocks and lists under the lock.
 */
#ifndef SPGC_HEAP_HEAP_H
#define SPGC_HEAP_HEAP_H

#include <pthread.h>
#include <stdbool.h>

#include "heap/block.h"
#include "heap/geometry.h"
#include "heap/object.h"
#include "heap/worklist.h"
#include "spgc/ref.h"

typedef uint16_t spgc_crossing_map[SPGC_CARDS_PER_BLOCK];
typedef uint64_t spgc_mark_words[SPGC_MARK_WORDS];

enum { SPGC_PLABS = 2 };
enum spgc_zone { SPGC_ZONE_SINGLES, SPGC_ZONE_RUNS, SPGC_ZONES };
enum { SPGC_RUN_CLASSES = 4 * 32 }; /* of lengths of runs */

/* Part of an old block that survivors are put in: objects from `start` to `cursor`, a filler from
 * there to `limit`. */
struct spgc_plab {
  uintptr_t cursor, limit, start;
  size_t given;   /* bytes of objects put before `start`, there and elsewhere, in this evacuation */
  uint32_t block; /* or SPGC_BLOCK_NONE; then the addresses are 0 */
  uint16_t next_hole; /* of the block, behind the PLAB: see heap/hole.h */
};

enum { SPGC_CACHE_LINES_APART = 128 }; /* what different workers write is so far apart */

/* What a worker of a collection has of its own, and keeps. Written by it alone. */
struct spgc_worker {
  struct spgc_plab plabs[SPGC_PLABS];
  struct spgc_worklist
      stack; /* what waits to be scanned: see gc/trace/evacuator.h; empty outside a collection.
                Worker 0 has one from the start, others when first engaged */
  unsigned char apart[SPGC_CACHE_LINES_APART]; /* not used */
};

/* Dirty cards that were read. */
struct spgc_cards_read {
  size_t all;
  size_t small; /* of blocks of small objects: for these, crossing map are needed */
};

struct spgc_heap {
  uintptr_t base;                   /* first byte of the reserved range, aligned to a block */
  size_t size;                      /* bytes of the reserved range */
  uint8_t *spaces;                  /* enum spgc_space of each block */
  struct spgc_block *blocks;        /* the rest of each block's metadata */
  uint8_t *cards;                   /* card of the range's first byte */
  spgc_crossing_map *crossing_maps; /* for each block, valid below its crossing_map_top */
  spgc_mark_words *marks;           /* for each block: see heap/mark_bits.h */
  uint32_t block_count;             /* blocks in the range */
  uint32_t boundary;                /* between single blocks and runs; constant */
  uint32_t low_water;               /* blocks from it on, */
  uint32_t high_water;    /* and below this one, have been made accessible at least once */
  uint32_t recent_blocks; /* as many as have pages may be idle beside those in use: what was in use
                             at once lately */
  uint32_t kept_resident; /* so many blocks with pages are left for copies: to get pages takes long
                             in a pause */
  bool poison;            /* vacated blocks are filled with a pattern and inaccessible */

  struct spgc_block_list pools[SPGC_ZONES]
                              [SPGC_POOL_PROTECTED + 1]; /* free blocks that were accessible once */
  uint32_t run_hints[SPGC_RUN_CLASSES]; /* where the search for a run begins: heap/runs.h */

  struct spgc_block_list nursery, nursery_large;
  struct spgc_block_list old, old_large;
  struct spgc_block_list condemned, condemned_large; /* empty outside a collection */

  uint32_t used_blocks;
  uint32_t peak_blocks;
  uint32_t large_blocks;
  uint32_t nursery_large_blocks;
  size_t old_large_bytes; /* sum of `large_bytes` over `old_large` */

  uint32_t
      recyclable; /* in the order of `old`, no block before this one has room; or SPGC_BLOCK_NONE */
  uint32_t unswept;   /* in the order of `old`, no block before this one is to be swept; or
                         SPGC_BLOCK_NONE */
  size_t dirty_cards; /* that the last minor collection found */

  bool keeps_marks;       /* those of the last marking stand: see gc/trace/mark.h */
  uint8_t card_once_read; /* what a dirty card becomes: see heap/card.h */

  struct spgc_worklist
      undo_log; /* of what a speculation copied (gc/trace/speculation.h); mapped by the first */
  struct spgc_worker workers[SPGC_MOST_WORKERS];
  pthread_mutex_t
      lock; /* held by a worker of a collection while it takes a block or moves one between lists */
};

/* Reserves the range and the side metadata for `limit` bytes of blocks: at most `most` bytes of
 * address space. It is as much as runs need however the heap is fragmented (heap/runs.h), or less
 * if that is more than `most` or the system refuses it, but at least twice the limit. False when it
 * refuses that; nothing is left behind then. */
bool spgc_heap_create(struct spgc_heap *heap, size_t limit, size_t most, bool poison);
void spgc_heap_destroy(struct spgc_heap *heap);

/* Survivors are put elsewhere from now on: the old blocks are about to change. */
void spgc_heap_forget_plabs(struct spgc_heap *heap);

static inline bool spgc_heap_spans(const struct spgc_heap *heap, uintptr_t address) {
  return address - heap->base < heap->size;
}

/* Words from `base` to an address; more than any range has when that is no multiple of a word away.
 * A rotation: its result is compared once, for the range and the alignment. */
static inline size_t spgc_words_between(uintptr_t base, uintptr_t word) {
  enum { WORD_SHIFT = 3, ADDRESS_BITS = 64 };
  uintptr_t offset = word - base;
  return offset >> WORD_SHIFT | offset << (ADDRESS_BITS - WORD_SHIFT);
}

/* The one test of what is a reference: the address of a word in the range. Everything else is left
 * alone by the collector. */
static inline bool spgc_heap_contains(const struct spgc_heap *heap, uintptr_t word) {
  return spgc_words_between(heap->base, word) < heap->size / SPGC_WORD_BYTES;
}

static inline uint32_t spgc_heap_block_of(const struct spgc_heap *heap, uintptr_t address) {
  return (uint32_t)((address - heap->base) >> SPGC_BLOCK_SHIFT);
}

static inline uintptr_t spgc_heap_block_start(const struct spgc_heap *heap, uint32_t index) {
  return heap->base + ((uintptr_t)index << SPGC_BLOCK_SHIFT);
}

static inline enum spgc_zone spgc_heap_zone(const struct spgc_heap *heap, uint32_t index) {
  return index < heap->boundary ? SPGC_ZONE_SINGLES : SPGC_ZONE_RUNS;
}

/* Mutators take free blocks while the old space is marked: who reads the space of such a block sees
 * either. */
static inline enum spgc_space spgc_heap_space(const struct spgc_heap *heap, uint32_t index) {
  return (enum spgc_space)__atomic_load_n(&heap->spaces[index], __ATOMIC_RELAXED);
}

/* Other workers may read it at the same time. */
static inline void spgc_heap_set_space(struct spgc_heap *heap, uint32_t index,
                                       enum spgc_space space) {
  __atomic_store_n(&heap->spaces[index], (uint8_t)space, __ATOMIC_RELAXED);
}

#endif
