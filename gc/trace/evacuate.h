/* Evacuation: reached condemned objects move to old blocks. Large ones are relabelled in place.
 *
 *   spgc_evacuation_begin        when the nursery, everything, or sparse old blocks are condemned
 *   spgc_evacuation_engage       lets other workers take part
 *   spgc_evacuation_forward      for each root
 *   spgc_evacuation_scan_cards   of a nursery: reads the dirty cards
 *   spgc_evacuation_relocate     of sparse blocks: moves their objects, and updates all old ones
 *   spgc_evacuation_scan_recorded   of candidates: reads the slots that a marking recorded
 *   spgc_evacuation_drain        until no reachable object is condemned
 *   spgc_evacuation_end          gathers what the workers counted and marked
 *
 * Invariant: a slot of a survivor refers to no condemned object, or the slot is in a worker's
 * prefetch queue, or the survivor or a part of it is on a worker's stack or the shared worklist, or
 * the survivor is in a block with copies_wait.
 *
 * An entry of a worker's stack is one of
 *   first word << 15 | words << 2 | SPGC_ENTRY_COPIES   adjacent copies in one block, whose slots
 *                                                       are to be forwarded; the first word is an
 *                                                       index in the range
 *   first block << 32 | part << 2 | SPGC_ENTRY_PART     a part of a large object, as long as a
 *                                                       block */
#ifndef SPGC_GC_TRACE_EVACUATE_H
#define SPGC_GC_TRACE_EVACUATE_H

#include <string.h>

#include "gc/trace/liveness.h"
#include "gc/trace/mark.h"
#include "gc/trace/worker_pool.h"
#include "heap/heap.h"
#include "heap/remembered/tables.h"
#include "support/random.h"

enum spgc_entry {
  SPGC_ENTRY_COPIES,
  SPGC_ENTRY_PART,
  SPGC_ENTRY_MASK = 3,
  SPGC_ENTRY_BITS = 2,
};
enum { SPGC_ENTRY_WORD_SHIFT = 15 };

_Static_assert(SPGC_BLOCK_BYTES / SPGC_WORD_BYTES < 1 << (SPGC_ENTRY_WORD_SHIFT - SPGC_ENTRY_BITS),
               "the word count of a whole block fits an entry");

/* Free if `object`, a small condemned one, is 0. */
struct spgc_prefetched_slot {
  struct spgc_slot slot;
  uintptr_t object;
};

struct spgc_evacuation;

/* Written by its worker, or by worker 0 while the worker is idle. */
struct spgc_evacuator {
  struct spgc_heap *heap;
  const struct spgc_evacuation *evacuation;
  struct spgc_worker *worker;
  struct spgc_range recyclable; /* whose holes take its copies: no other worker walks them */
  struct spgc_scanner *scanner; /* of the marking in progress, or NULL */
  struct spgc_recorder weak_recorder;
  bool follows_weak;                  /* no memory to record more weak elements */
  struct spgc_random *shuffle;        /* or NULL: see spgc_evacuation_begin */
  const struct spgc_trace_hook *hook; /* for each condemned object reached; serial only */
  struct spgc_prefetched_slot prefetch_queue[SPGC_PREFETCHED]; /* circular */
  uint32_t prefetch_oldest; /* the next to be forwarded and replaced */
  bool overflowed;          /* some blocks have copies_wait */
  uint64_t moved_objects;
  uint64_t relabelled_bytes; /* of large and pinned survivors, which stay in place */
  uint64_t old_bytes;        /* of survivors that were old, if those are condemned */
  size_t cards_read;
  struct spgc_random own_shuffle;
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

enum { SPGC_UNITS = 64 }; /* in a scan that several workers share */

/* A unit has blocks, fields of the store buffers, or recorded chunks. `in_parallel`: others scan
 * other units; else worker 0 scans all. */
typedef void (*spgc_unit_scan)(struct spgc_evacuator *evacuator, struct spgc_range unit,
                               bool in_parallel);

/* Written by the collecting thread; `units_left` and the evacuators by their workers. */
struct spgc_evacuation {
  struct spgc_heap *heap;
  struct spgc_marker *marker;   /* of the marking in progress, or NULL */
  struct spgc_range recyclable; /* whose holes take copies; none before a sweep */
  bool leaves_cards;            /* see spgc_cycle_leaves_cards */
  struct spgc_parallelism parallelism;
  struct spgc_range scanned; /* by several workers */
  spgc_unit_scan scan_unit;
  bool walks_singles;  /* a unit is single blocks, into whose holes its worker may copy */
  uint32_t units_left; /* unclaimed parts of `scanned`, of SPGC_UNITS */
  uint64_t moved_objects, moved_bytes; /* these five are sums over ended evacuations */
  uint64_t relabelled_bytes, old_bytes;
  size_t cards_read;                                /* dirty */
  struct spgc_evacuator workers[SPGC_MOST_WORKERS]; /* 1 + parallelism.extra_workers are in use */
};

/* `evacuation` was zeroed or ended. The heap is prepared (spgc_blocks_prepare) for
 * spgc_blocks_for_evacuation of the condemned bytes. `marker`: of a marking in progress, or NULL.
 * With `shuffle`, copies go to free blocks in a random order. */
void spgc_evacuation_begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                           struct spgc_marker *marker, struct spgc_random *shuffle);

/* The workers have stacks, and the heap is prepared for SPGC_PLABS more blocks for each. No more
 * than a marking in progress has; none while the pool backs off. */
void spgc_evacuation_engage(struct spgc_evacuation *evacuation,
                            const struct spgc_parallelism *parallelism);

/* Before anything has moved: forwards a small condemned object to itself. Returns its header, to be
 * restored at the end; 0 if the object would not move. */
uintptr_t spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot);
void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation);
void spgc_evacuation_relocate(struct spgc_evacuation *evacuation);
void spgc_evacuation_scan_recorded(struct spgc_evacuation *evacuation);
void spgc_evacuation_drain(struct spgc_evacuation *evacuation);
void spgc_evacuation_end(struct spgc_evacuation *evacuation);

/* After the end: bytes of survivors, and of those that became old. */
static inline uint64_t spgc_evacuation_survived_bytes(const struct spgc_evacuation *evacuation) {
  return evacuation->moved_bytes + evacuation->relabelled_bytes;
}

static inline uint64_t spgc_evacuation_promoted_bytes(const struct spgc_evacuation *evacuation) {
  return spgc_evacuation_survived_bytes(evacuation) - evacuation->old_bytes;
}

/* With `all`, old objects are also condemned. */
struct spgc_liveness spgc_evacuation_liveness(struct spgc_evacuation *evacuation, bool all);

void spgc_evacuator_count_survivor(struct spgc_evacuator *evacuator, uint32_t index, size_t bytes);

/* ---- Between the files of an evacuation ---- */

/* `header` was read before: other workers may overwrite it. */
SPGC_INLINE void spgc_object_copy(uintptr_t to, uintptr_t from, uintptr_t header, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  spgc_object_set_header((struct spgc_ref){to}, header);
  if (bytes > INLINE_BYTES) {
    memcpy((void *)(to + SPGC_WORD_BYTES), (const void *)(from + SPGC_WORD_BYTES),
           bytes - SPGC_WORD_BYTES);
    return;
  }
  for (size_t offset = SPGC_WORD_BYTES; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

/* Returns `to`, or another worker's copy. */
SPGC_INLINE uintptr_t spgc_object_claim(uintptr_t from, uintptr_t header, uintptr_t to,
                                        enum spgc_trace_mode mode) {
  if (mode != SPGC_TRACE_PARALLEL)
    spgc_object_set_header((struct spgc_ref){from}, to);
  else if (!__atomic_compare_exchange_n((uintptr_t *)from, &header, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
    return header;
  return to;
}

/* Such calls leave the loop its registers. Clang does not know noipa. */
#if __has_attribute(noipa)
#define SPGC_RARE __attribute__((noipa))
#else
#define SPGC_RARE __attribute__((noinline))
#endif

/* A copy in its block did not fit the stack. */
SPGC_RARE void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);

/* Also pushes the copy. Returns the new address. */
SPGC_RARE uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from,
                                        uintptr_t header, enum spgc_trace_mode mode);

SPGC_RARE void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

SPGC_RARE void spgc_evacuator_relocate(const struct spgc_evacuator *evacuator,
                                       struct spgc_slot slot);

/* Records a weak element that refers to a condemned object. False without memory: the element then
 * keeps its object alive. */
SPGC_RARE bool spgc_evacuator_record_weak(struct spgc_evacuator *evacuator,
                                          struct spgc_slot element);

/* The elements in [from, to) of a weak array, whose header may be a forwarding address. */
SPGC_RARE void spgc_evacuator_scan_weak(struct spgc_evacuator *evacuator, struct spgc_ref array,
                                        const struct spgc_type *type, uintptr_t from, uintptr_t to,
                                        enum spgc_trace_mode mode);

/* Also scans the remaining units. */
void spgc_evacuation_drain_parallel(struct spgc_evacuation *evacuation);

/* ---- The copying loop, in gc/trace/copier.c ---- */

void spgc_evacuator_push_copies(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t to);

/* By worker 0. */
void spgc_evacuator_scan_some(struct spgc_evacuator *evacuator, uint32_t entries);

/* Until one of several workers has no entries of its own. */
void spgc_evacuator_scan_own(struct spgc_evacuator *evacuator, struct spgc_shared_worklist *shared);

/* By worker 0: blocks with copies that did not fit a stack. */
void spgc_evacuator_scan_waiting(struct spgc_evacuator *evacuator);

#endif
