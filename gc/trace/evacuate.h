/* Evacuation: reached condemned objects move to old blocks. Large ones are relabelled in place.
 *
 *   spgc_evacuation_begin        when the nursery, everything, or sparse old blocks are condemned
 *   spgc_evacuation_engage       lets other workers take part
 *   spgc_evacuation_forward      for each root
 *   spgc_evacuation_scan_cards   if only the nursery is condemned: scans the dirty cards
 *   spgc_evacuation_update       if sparse blocks are condemned: scans all other old objects
 *   spgc_evacuation_scan_recorded   if candidates are: scans the slots that a marking recorded
 *   spgc_evacuation_drain        until no reachable object is condemned
 *   spgc_evacuation_end          gathers what the workers counted and marked
 * Then spgc_blocks_free_condemned frees the blocks that are still condemned.
 *
 * gc/trace/evacuate.c begins, drains and ends one, gc/trace/copier.h has the loop that copies,
 * gc/trace/copy.c its stack, and gc/trace/parallel_scan.c the scans of old objects.
 *
 * While it runs, the header of a moved object holds its new address. Descriptors lie outside the
 * heap, so a header inside the heap is a forwarding address.
 *
 * Invariant: a slot of a survivor refers to no condemned object, or the slot is in a worker's
 * prefetch queue, or the survivor or a part of it is on a worker's stack or the shared worklist, or
 * the survivor is in a block with copies_wait.
 *
 * An evacuation begins on the collecting thread, worker 0. It calls other workers when it has
 * copied enough to show that much is left, and has entries to give. It also calls them to scan old
 * objects, if there are many. The workers balance the load through the shared worklist
 * (gc/trace/shared_worklist.h) until nothing is left.
 *
 * An entry of a worker's stack is one of
 *   first word << 15 | words << 2 | SPGC_ENTRY_COPIES   adjacent copies in one block, whose slots
 *                                                       are to be forwarded; the first word is an
 *                                                       index in the range
 *   first block << 32 | part << 2 | SPGC_ENTRY_PART     a part of a large object, as long as a
 *                                                       block
 */
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

/* A slot, and the small condemned object it refers to. The entry is free if `object` is 0. */
struct spgc_prefetched_slot {
  struct spgc_slot slot;
  uintptr_t object;
};

struct spgc_evacuation;

/* Written by its worker. Worker 0 also writes it while the worker is idle. */
struct spgc_evacuator {
  struct spgc_heap *heap;
  const struct spgc_evacuation *evacuation;
  struct spgc_worker *worker;
  struct spgc_block_range recyclable; /* blocks whose holes may take its copies: all, or those that
                                         no other worker walks */
  struct spgc_scanner *scanner;       /* of the marking in progress, or NULL */
  struct spgc_random *shuffle;        /* puts copies into free blocks in a random order, or NULL */
  const struct spgc_trace_hook
      *hook; /* called for each condemned object as it is reached, in serial mode only; or NULL */
  struct spgc_prefetched_slot prefetch_queue[SPGC_PREFETCH_QUEUE_SLOTS]; /* a circular buffer */
  uint32_t prefetch_oldest; /* its oldest entry, which is forwarded and replaced next */
  bool overflowed;          /* some blocks have copies_wait */
  uint64_t moved_objects;
  uint64_t relabelled_bytes; /* of survivors that stay in place: large objects, and pinned ones */
  uint64_t old_bytes; /* of survivors that were old, when young ones are condemned with them: in a
                         shuffle */
  struct spgc_cards_read cards_read;
  struct spgc_random own_shuffle; /* for workers other than 0 */
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

enum { SPGC_UNITS = 64 }; /* per scan that several workers share */

/* What a worker scans for references to condemned objects: the old objects of the blocks [first,
 * end), or the fields with these numbers in the store buffers. */
struct spgc_unit {
  uint32_t first, end;
};

/* `in_parallel`: other workers scan other units. Otherwise worker 0 does. */
typedef void (*spgc_unit_scan)(struct spgc_evacuator *evacuator, struct spgc_unit unit,
                               bool in_parallel);

/* Written by the collecting thread. The workers write `units_left` atomically, and their own
 * evacuators. */
struct spgc_evacuation {
  struct spgc_heap *heap;
  struct spgc_marker *marker; /* of the marking in progress, or NULL */
  struct spgc_block_range
      recyclable;    /* blocks whose holes take copies. Initially ALL_BLOCKS; a compaction sets
                        NO_BLOCKS, because the blocks are not swept yet */
  bool leaves_cards; /* the scan of dirty cards looks only for young objects, and defers the cards.
                        Initially false; minor collections set it */
  struct spgc_parallelism parallelism;
  struct spgc_unit scanned; /* this and the next two: the scan that several workers share */
  spgc_unit_scan scan_unit;
  bool walks_singles;  /* a unit is single blocks, and its worker may copy into their holes */
  uint32_t units_left; /* unclaimed ones of the SPGC_UNITS into which `scanned` is divided */
  uint64_t moved_objects, moved_bytes; /* these two and the next two, and cards_read: sums over the
                                          workers, valid after the end */
  uint64_t relabelled_bytes, old_bytes;
  struct spgc_cards_read cards_read;
  struct spgc_evacuator workers[SPGC_MOST_WORKERS]; /* 1 + parallelism.extra_workers are in use */
};

/* Evacuates the heap's condemned blocks (heap/condemn.h). The heap is prepared
 * (spgc_blocks_prepare) for spgc_blocks_for_evacuation of their bytes. `marker` belongs to a
 * marking in progress, or is NULL. With `shuffle`, copies go to free blocks in a random order. */
void spgc_evacuation_begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                           struct spgc_marker *marker, struct spgc_random *shuffle);

/* Engages other workers, after the beginning. They have stacks, and the heap is prepared for
 * SPGC_PLABS more blocks for each. Their number is limited by `parallelism`, and by the workers of
 * a marking in progress. Engages none while the worker pool backs off, because parallel work was
 * slower lately. */
void spgc_evacuation_engage(struct spgc_evacuation *evacuation,
                            const struct spgc_parallelism *parallelism);

/* Forwards a small condemned object to itself, before anything has moved. Returns its header, which
 * the caller restores at the end; 0 if the object would not move anyway. */
uintptr_t spgc_evacuation_hold(struct spgc_evacuation *evacuation, struct spgc_ref object);

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot);
void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation);
void spgc_evacuation_update(struct spgc_evacuation *evacuation);
void spgc_evacuation_scan_recorded(struct spgc_evacuation *evacuation);
void spgc_evacuation_drain(struct spgc_evacuation *evacuation);
void spgc_evacuation_end(struct spgc_evacuation *evacuation);

/* Bytes of survivors, and of those among them that became old, after the end. The condemned blocks
 * were not sparse ones. */
static inline uint64_t spgc_evacuation_survived_bytes(const struct spgc_evacuation *evacuation) {
  return evacuation->moved_bytes + evacuation->relabelled_bytes;
}

static inline uint64_t spgc_evacuation_promoted_bytes(const struct spgc_evacuation *evacuation) {
  return spgc_evacuation_survived_bytes(evacuation) - evacuation->old_bytes;
}

/* Which objects the evacuation keeps alive. With `all`, old ones are also condemned. */
struct spgc_liveness spgc_evacuation_liveness(struct spgc_evacuation *evacuation, bool all);

/* A condemned object in block `index` survives. */
void spgc_evacuator_count_survivor(struct spgc_evacuator *evacuator, uint32_t index, size_t bytes);

/* ---- Between the files of an evacuation ---- */

/* Whether the scan of a card marks the old children of an object. An unmarked object is scanned
 * later, when it is marked; a card that stays deferred is scanned again; weak elements mark
 * nothing. */
SPGC_INLINE bool spgc_marks_others(const struct spgc_evacuation *evacuation,
                                   const struct spgc_scanner *scanner, struct spgc_ref object) {
  return scanner != NULL && !evacuation->leaves_cards &&
         spgc_mark_bit_is_set(evacuation->heap, object) &&
         !spgc_type_is_weak(spgc_object_type(object));
}

/* `header` was read before, because other workers may overwrite it. */
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

/* Claims the object for the copy at `to`. Returns the object's new address, which is another
 * worker's copy if that was faster. */
SPGC_INLINE uintptr_t spgc_object_claim(uintptr_t from, uintptr_t header, uintptr_t to,
                                        enum spgc_trace_mode mode) {
  if (mode != SPGC_TRACE_PARALLEL)
    spgc_object_set_header((struct spgc_ref){from}, to);
  else if (!__atomic_compare_exchange_n((uintptr_t *)from, &header, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
    return header;
  return to;
}

/* Keeps rarer cases out of the copying loop: not inlined, and called without any assumptions about
 * them, which leaves the loop its registers. */
#define SPGC_RARE __attribute__((noipa))

/* A copy in `object`'s block did not fit the stack. */
SPGC_RARE void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);

/* Moves a small condemned object that does not fit the chunk of the loop, and pushes the copy.
 * `header` was read from it. Returns the object's new address. */
SPGC_RARE uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from,
                                        uintptr_t header, enum spgc_trace_mode mode);

/* A large object was reached, which begins at block `index`. */
SPGC_RARE void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

/* Scans the remaining units, and drains the stacks of all workers, in parallel. */
void spgc_evacuation_drain_parallel(struct spgc_evacuation *evacuation);

/* ---- The copying loop, in gc/trace/copy.c ---- */

/* Pushes adjacent copies in [from, to) onto the worker's stack. */
void spgc_evacuator_push_copies(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t to);

/* Worker 0 scans at most `entries` entries, or until nothing is left. */
void spgc_evacuator_scan_some(struct spgc_evacuator *evacuator, uint32_t entries);

/* One of several workers scans until it has no entries of its own. */
void spgc_evacuator_scan_own(struct spgc_evacuator *evacuator, struct spgc_shared_worklist *shared);

/* Worker 0 scans the objects in blocks with copies that did not fit a stack. */
void spgc_evacuator_scan_waiting(struct spgc_evacuator *evacuator);

#endif
