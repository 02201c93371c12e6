/* An evacuator: the state of one worker of an evacuation, and its work on one object. Copiers
 * (gc/trace/copier.h) run the loops over slots.
 *
 * A worker that finds a condemned object that has not moved copies it to its own PLAB. Then it
 * claims the object: it writes the copy's address into the object's header. In serial mode the
 * claim is a store. In parallel mode it is a compare-and-swap; the loser uses the winner's copy,
 * and overwrites its own with the next one. Only the header of a condemned object is ever written,
 * so copies made at the same time are equal. Each slot has one reader: the worker that copied its
 * object, or that took the entry from the shared worklist.
 *
 * An entry of a worker's stack is one of
 *   first word << 15 | words << 2 | SPGC_ENTRY_COPIES   adjacent copies in one block, whose slots
 *                                                       are to be forwarded; the first word is an
 *                                                       index in the range
 *   slot | SPGC_ENTRY_SLOT                              an address; the slot refers to a condemned
 *                                                       object
 *   first block << 32 | part << 2 | SPGC_ENTRY_PART     a part of a large object, as long as a
 *                                                       block
 *   object | SPGC_ENTRY_OBJECT                          an address; a small condemned object was
 *                                                       reached; only in speculations
 */
#ifndef SPGC_GC_TRACE_EVACUATOR_H
#define SPGC_GC_TRACE_EVACUATOR_H

#include <string.h>

#include "gc/trace/mark.h"
#include "gc/trace/prefetch_queue.h"
#include "gc/trace/trace_hook.h"
#include "heap/heap.h"
#include "heap/plab.h"
#include "heap/trace_mode.h"
#include "support/random.h"

enum spgc_entry {
  SPGC_ENTRY_COPIES,
  SPGC_ENTRY_SLOT,
  SPGC_ENTRY_PART,
  SPGC_ENTRY_OBJECT,
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

/* Written by its worker. Worker 0 also writes it while the worker is idle. */
struct spgc_evacuator {
  struct spgc_heap *heap;
  struct spgc_worker *worker;
  struct spgc_scanner *scanner;       /* of the marking under way, or NULL */
  struct spgc_random *shuffle;        /* puts copies into free blocks in a random order, or NULL */
  const struct spgc_trace_hook *hook; /* called for each condemned object as it is reached, in
                                         serial mode only; or NULL */
  struct spgc_prefetched_slot prefetch_queue[SPGC_PREFETCH_QUEUE_SLOTS]; /* a circular buffer */
  uint32_t prefetch_oldest; /* its oldest entry, which is forwarded and replaced next */
  bool overflowed;          /* some blocks have copies_wait */
  uintptr_t *undo_entry;    /* in a speculation: the next free entry of the undo log */
  uint64_t moved_objects;
  uint64_t relabelled_bytes; /* of survivors that stay in place: large objects, and pinned ones */
  uint64_t old_bytes;        /* of survivors that were old before, where young ones are condemned
                                with them: in a shuffle */
  struct spgc_cards_read cards_read;
  struct spgc_random own_shuffle; /* of a worker other than 0 */
  unsigned char padding[SPGC_CACHE_LINES_APART];
};

/* Moves a small condemned object that does not fit the copier's chunk, and pushes the copy.
 * `header` was read from it. Returns the object's new address. */
uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                              enum spgc_trace_mode mode);

/* The entry of adjacent copies in [from, to). */
SPGC_INLINE uintptr_t spgc_entry_of_copies(const struct spgc_heap *heap, uintptr_t from,
                                           uintptr_t to) {
  return (from - heap->base) / SPGC_WORD_BYTES << SPGC_ENTRY_WORD_SHIFT |
         (to - from) / SPGC_WORD_BYTES << SPGC_ENTRY_BITS | SPGC_ENTRY_COPIES;
}

/* The rare cases: a copy in `object`'s block did not fit the stack; a large object was reached. */
void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);
void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

/* Copies an object. `header` was read before, because other workers may overwrite it. */
SPGC_INLINE void spgc_evacuator_copy(uintptr_t to, uintptr_t from, uintptr_t header, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  spgc_object_set_header(spgc_ref_from_word(to), header);
  if (bytes > INLINE_BYTES) {
    memcpy((void *)(to + SPGC_WORD_BYTES), (const void *)(from + SPGC_WORD_BYTES),
           bytes - SPGC_WORD_BYTES);
    return;
  }
  for (size_t offset = SPGC_WORD_BYTES; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

/* Claims the object for the copy at `to`. Returns the object's new address, which is another one if
 * another worker was faster. */
SPGC_INLINE uintptr_t spgc_evacuator_claim(uintptr_t from, uintptr_t header, uintptr_t to,
                                           enum spgc_trace_mode mode) {
  if (mode != SPGC_TRACE_PARALLEL)
    spgc_object_set_header(spgc_ref_from_word(from), to);
  else if (!__atomic_compare_exchange_n((uintptr_t *)from, &header, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
    return header;
  return to;
}

/* A condemned object in block `index` survives. */
SPGC_INLINE void spgc_evacuator_count_survivor(struct spgc_evacuator *evacuator, uint32_t index,
                                               size_t bytes) {
  if (evacuator->shuffle != NULL && evacuator->heap->blocks[index].was_old)
    evacuator->old_bytes += bytes;
}

/* Bytes copied by the worker in this evacuation. */
static inline size_t spgc_evacuator_moved_bytes(const struct spgc_evacuator *evacuator) {
  size_t bytes = 0;
  for (int i = 0; i < SPGC_PLABS; i++)
    bytes += spgc_plab_given(&evacuator->worker->plabs[i]);
  return bytes;
}

#endif
