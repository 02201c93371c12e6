/* An evacuator: what one worker of an evacuation does with a slot. The loops over slots are made of what is here.
 *
 * Whoever finds that a condemned object has not moved copies it to a lane of its own, then claims it by putting the
 * copy's address in its header. Alone, the claim is a store. In company it is a compare-and-swap: who loses uses the
 * winner's copy, and its own is overwritten by the next. Nothing but the header of a condemned object is ever written,
 * so that copies made at the same time are equal.
 * A slot has one reader: the worker that copied the object it is in, or was given it.
 *
 * An entry of a worker's stack is one of
 *   the address of a copy                           its slots are to be forwarded
 *   the address of a slot       | SPGC_ENTRY_SLOT   it refers to a condemned object
 *   first block << 32 | part << 2 | SPGC_ENTRY_PART as many bytes of a large object as a block has
 */
#ifndef SPGC_HEAP_EVACUATOR_H
#define SPGC_HEAP_EVACUATOR_H

#include <string.h>

#include "heap/heap.h"
#include "heap/lane.h"
#include "heap/mark.h"
#include "heap/watch.h"
#include "support/random.h"

enum { SPGC_SOON_SLOTS = 16 };

enum spgc_entry { SPGC_ENTRY_COPY, SPGC_ENTRY_SLOT, SPGC_ENTRY_PART, SPGC_ENTRY_MASK = 3, SPGC_ENTRY_BITS = 2 };

/* Whether other workers do the same at the same time. A constant wherever it is passed: one source, two loops. */
enum spgc_company { SPGC_ALONE, SPGC_SHARED };

/* Written by its worker; by others only while that does nothing. */
struct spgc_evacuator {
  uintptr_t base; /* of heap, here for the loop's sake */
  size_t size;
  struct spgc_heap *heap;
  struct spgc_worker *worker;
  struct spgc_marker *marker;             /* the marking that goes on meanwhile, or NULL */
  struct spgc_random *shuffle;            /* puts copies in free blocks in a random order, or NULL */
  const struct spgc_watch *watch;         /* told of each condemned object as it is reached, or NULL: only alone */
  bool overflowed;                        /* some blocks have copies_wait */
  struct spgc_slot soon[SPGC_SOON_SLOTS]; /* a ring: entries soon_first to soon_next, modulo its size, wait */
  uint32_t soon_first, soon_next;
  uint64_t moved_objects;
  uint64_t moved_bytes;
  uint64_t relabelled_bytes; /* of large objects */
  uint64_t dirty_cards;
  struct spgc_random own_shuffle;              /* of a helper */
  unsigned char apart[SPGC_CACHE_LINES_APART]; /* not used */
};

/* The rarer cases. */
void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);
void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

/* The header is the one that was read: others may change it meanwhile. */
SPGC_INLINE void spgc_evacuator_copy(uintptr_t to, uintptr_t from, uintptr_t header, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  spgc_object_set_header(to, header);
  if (bytes > INLINE_BYTES) {
    memcpy((void *)(to + SPGC_WORD_BYTES), (const void *)(from + SPGC_WORD_BYTES), bytes - SPGC_WORD_BYTES);
    return;
  }
  for (size_t offset = SPGC_WORD_BYTES; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

SPGC_INLINE struct spgc_lane *spgc_evacuator_choose_lane(struct spgc_evacuator *evacuator, size_t bytes) {
  struct spgc_lane *lanes = evacuator->worker->lanes;
  if (__builtin_expect(evacuator->shuffle != NULL, 0))
    return &lanes[spgc_random_next(evacuator->shuffle) % SPGC_LANES];
  return &lanes[bytes > SPGC_LARGEST_IN_ROOM];
}

/* Returns where the object is now. */
SPGC_INLINE uintptr_t spgc_evacuator_claim(uintptr_t from, uintptr_t header, uintptr_t to, enum spgc_company company) {
  if (company == SPGC_ALONE)
    spgc_object_set_header(from, to);
  else if (!__atomic_compare_exchange_n((uintptr_t *)from, &header, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return header;
  return to;
}

SPGC_INLINE uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                                          enum spgc_company company) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(from, type);
  struct spgc_lane *lane = spgc_evacuator_choose_lane(evacuator, bytes);
  if (__builtin_expect(bytes > lane->limit - lane->cursor, 0))
    spgc_lane_refill(evacuator->heap, lane, bytes, evacuator->shuffle != NULL || bytes > SPGC_LARGEST_IN_ROOM);
  uintptr_t to = lane->cursor;
  spgc_evacuator_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_evacuator_claim(from, header, to, company);
  if (company == SPGC_SHARED && __builtin_expect(claimed != to, 0)) {
    spgc_lane_fill(lane);
    return claimed;
  }
  spgc_lane_advance(lane, bytes);
  evacuator->moved_objects++;
  evacuator->moved_bytes += bytes;
  if (evacuator->marker != NULL)
    spgc_mark_survivor(evacuator->marker, to, bytes);
  if (company == SPGC_ALONE && __builtin_expect(evacuator->watch != NULL, 0))
    evacuator->watch->reached(evacuator->watch->context, spgc_ref_from_word(from));
  if (!spgc_type_has_references(type))
    return to;
  if (__builtin_expect(spgc_work_stack_has_room(&evacuator->worker->stack, 1), 1))
    spgc_work_stack_push(&evacuator->worker->stack, to);
  else
    spgc_evacuator_overflow(evacuator, to);
  return to;
}

SPGC_INLINE void spgc_evacuator_forward(struct spgc_evacuator *evacuator, struct spgc_slot slot,
                                        enum spgc_company company) {
  uintptr_t word = slot.location->word;
  uintptr_t offset = word - evacuator->base;
  if (offset >= evacuator->size)
    return;
  uint32_t index = (uint32_t)(offset >> SPGC_BLOCK_SHIFT);
  enum spgc_space space = spgc_heap_space(evacuator->heap, index);
  if (!spgc_space_is_condemned(space)) {
    if (evacuator->marker != NULL)
      spgc_mark(evacuator->marker, word);
    return;
  }
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0)) {
    spgc_evacuator_relabel(evacuator, index);
    return;
  }
  uintptr_t header = __atomic_load_n((const uintptr_t *)word, __ATOMIC_ACQUIRE);
  bool moved = header - evacuator->base < evacuator->size;
  slot.location->word = moved ? header : spgc_evacuator_move(evacuator, word, header, company);
}

/* The header of an object to be copied is seldom in a cache: it is fetched now and wanted a few slots later. */
SPGC_INLINE void spgc_evacuator_wait_for(struct spgc_evacuator *evacuator, struct spgc_slot slot,
                                         enum spgc_company company) {
  __builtin_prefetch((void *)slot.location->word, 1);
  if (evacuator->soon_next - evacuator->soon_first == SPGC_SOON_SLOTS)
    spgc_evacuator_forward(evacuator, evacuator->soon[evacuator->soon_first++ % SPGC_SOON_SLOTS], company);
  evacuator->soon[evacuator->soon_next++ % SPGC_SOON_SLOTS] = slot;
}

/* Returns whether there was anything. */
SPGC_INLINE bool spgc_evacuator_forward_waiting(struct spgc_evacuator *evacuator, enum spgc_company company) {
  uint32_t first = evacuator->soon_first;
  while (evacuator->soon_first != evacuator->soon_next)
    spgc_evacuator_forward(evacuator, evacuator->soon[evacuator->soon_first++ % SPGC_SOON_SLOTS], company);
  return evacuator->soon_first != first;
}

/* `word` lies in the range. */
SPGC_INLINE bool spgc_evacuator_is_condemned(const struct spgc_evacuator *evacuator, uintptr_t word) {
  return spgc_space_is_condemned(spgc_heap_space(evacuator->heap, spgc_heap_block_of(evacuator->heap, word)));
}

SPGC_INLINE void spgc_evacuator_forward_soon(struct spgc_evacuator *evacuator, struct spgc_slot slot,
                                             enum spgc_company company) {
  uintptr_t word = slot.location->word;
  if (word - evacuator->base >= evacuator->size)
    return;
  if (spgc_evacuator_is_condemned(evacuator, word))
    spgc_evacuator_wait_for(evacuator, slot, company);
  else if (evacuator->marker != NULL)
    spgc_mark(evacuator->marker, word);
}

/* Visitors of slots. */
SPGC_INLINE void spgc_forward_soon_alone(void *evacuator, struct spgc_slot slot) {
  spgc_evacuator_forward_soon(evacuator, slot, SPGC_ALONE);
}

SPGC_INLINE void spgc_forward_soon_shared(void *evacuator, struct spgc_slot slot) {
  spgc_evacuator_forward_soon(evacuator, slot, SPGC_SHARED);
}

SPGC_INLINE spgc_slot_visitor spgc_forward_soon(enum spgc_company company) {
  return company == SPGC_ALONE ? spgc_forward_soon_alone : spgc_forward_soon_shared;
}

#endif
