/* An evacuator: what one worker of an evacuation has, and does with an object. The loops over slots
 * are made of copiers (gc/trace/copier.h).
 *
 * Whoever finds that a condemned object has not moved copies it to a PLAB of its own, then claims
 * it by putting the copy's address in its header. Alone, the claim is a store. In company it is a
 * compare-and-swap: who loses uses the winner's copy, and its own is overwritten by the next.
 * Nothing but the header of a condemned object is ever written, so that copies made at the same
 * time are equal. A slot has one reader: the worker that copied the object it is in, or was given
 * it.
 *
 * An entry of a worker's stack is one of
 *   first word << 15 | words << 2 | SPGC_ENTRY_COPIES   objects in a row, in a block: their slots
 * are to be forwarded; words are counted from the start of the range the address of a slot |
 * SPGC_ENTRY_SLOT     it refers to a condemned object first block << 32 | part << 2 |
 * SPGC_ENTRY_PART     as many bytes of a large object as a block has the address of an object |
 * SPGC_ENTRY_OBJECT   a small one, condemned, that was reached: only in speculations
 */
#ifndef SPGC_GC_TRACE_EVACUATOR_H
#define SPGC_GC_TRACE_EVACUATOR_H

#include <string.h>

#include "gc/trace/mark.h"
#include "gc/trace/trace_hook.h"
#include "heap/heap.h"
#include "heap/plab.h"
#include "heap/trace_mode.h"
#include "support/random.h"

enum { SPGC_PREFETCH_QUEUE_SLOTS = 16 };

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
               "as many words as a block has fit an entry");

/* A slot, and the small condemned object it refers to; 0: nothing. */
struct spgc_prefetched_slot {
  struct spgc_slot slot;
  uintptr_t object;
};

/* Written by its worker; by others only while that does nothing. */
struct spgc_evacuator {
  struct spgc_heap *heap;
  struct spgc_worker *worker;
  struct spgc_scanner *scanner; /* of the marking that goes on meanwhile, or NULL */
  struct spgc_random *shuffle;  /* puts copies in free blocks in a random order, or NULL */
  const struct spgc_trace_hook
      *hook;       /* told of each condemned object as it is reached, or NULL: only alone */
  bool overflowed; /* some blocks have copies_wait */
  struct spgc_prefetched_slot prefetch_queue[SPGC_PREFETCH_QUEUE_SLOTS]; /* a ring of what waits */
  uint32_t prefetch_oldest; /* its oldest entry: the next to be forwarded, and replaced */
  uintptr_t *undo_entry;    /* in a speculation: where it lists the next object that moves */
  uint64_t moved_objects;
  uint64_t relabelled_bytes; /* of large objects */
  struct spgc_cards_read cards_read;
  struct spgc_random own_shuffle;                /* of a helper */
  unsigned char padding[SPGC_CACHE_LINES_APART]; /* not used */
};

/* Moves a small condemned object whose header was read, wherever it has to go, and pushes it to be
 * scanned. Returns where it is now. */
uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                              enum spgc_trace_mode mode);

/* Objects from `from` to `to` are to be scanned. */
SPGC_INLINE uintptr_t spgc_entry_of_copies(const struct spgc_heap *heap, uintptr_t from,
                                           uintptr_t to) {
  return (from - heap->base) / SPGC_WORD_BYTES << SPGC_ENTRY_WORD_SHIFT |
         (to - from) / SPGC_WORD_BYTES << SPGC_ENTRY_BITS | SPGC_ENTRY_COPIES;
}

/* The rarer cases. */
void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);
void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

/* The header is the one that was read: others may change it meanwhile. */
SPGC_INLINE void spgc_evacuator_copy(uintptr_t to, uintptr_t from, uintptr_t header, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  spgc_object_set_header(to, header);
  if (bytes > INLINE_BYTES) {
    memcpy((void *)(to + SPGC_WORD_BYTES), (const void *)(from + SPGC_WORD_BYTES),
           bytes - SPGC_WORD_BYTES);
    return;
  }
  for (size_t offset = SPGC_WORD_BYTES; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

/* Returns where the object is now. */
SPGC_INLINE uintptr_t spgc_evacuator_claim(uintptr_t from, uintptr_t header, uintptr_t to,
                                           enum spgc_trace_mode mode) {
  if (mode != SPGC_TRACE_PARALLEL)
    spgc_object_set_header(from, to);
  else if (!__atomic_compare_exchange_n((uintptr_t *)from, &header, to, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
    return header;
  return to;
}

/* What the worker's PLABs were given in this evacuation. */
static inline size_t spgc_evacuator_moved_bytes(const struct spgc_evacuator *evacuator) {
  size_t bytes = 0;
  for (int i = 0; i < SPGC_PLABS; i++)
    bytes += spgc_plab_given(&evacuator->worker->plabs[i]);
  return bytes;
}

#endif
