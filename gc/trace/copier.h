/* A copier: an evacuator at work. What changes with each slot lies in a variable of the loop, whose address stays
 * there, so that the compiler keeps it in registers; the evacuator has it again when something rarer is to be done, and
 * at the end of the loop.
 *
 * Copies are put in a chunk of the worker's first lane, and scanned in a row, as Cheney's algorithm does. When the
 * chunk is full, what of it is not yet scanned goes to the stack: what hangs on the latest copies is copied first, so
 * that objects are near to those that refer to them.
 *
 *   lane   | scanned, or on the stack | to be scanned | ... chunk | ... free
 *                                     scan            cursor      limit
 */
#ifndef SPGC_GC_TRACE_COPIER_H
#define SPGC_GC_TRACE_COPIER_H

#include "gc/trace/evacuator.h"

struct spgc_copier {
  struct spgc_evacuator *evacuator;
  uintptr_t base; /* these: constant */
  size_t size, words;
  const uint8_t *spaces;
  struct spgc_scanner *scanner;
  uintptr_t *entries, *top; /* the worker's stack, */
  uintptr_t *entries_end;   /* and where it is full */
  uintptr_t *original;      /* where the next is listed, in an attempt */
  uint32_t soon_oldest;
  uintptr_t scan, cursor, limit; /* limit == cursor when copies do not simply go there */
  uint64_t moved_objects;
};

enum { SPGC_CHUNK_BYTES = SPGC_BLOCK_BYTES / 8 };

/* Takes over from the evacuator, with a new chunk. */
SPGC_INLINE void spgc_copier_load(struct spgc_copier *copier) {
  const struct spgc_evacuator *evacuator = copier->evacuator;
  const struct spgc_lane *lane = &evacuator->worker->lanes[0];
  bool is_simple = evacuator->shuffle == NULL && evacuator->watch == NULL;
  copier->top = copier->entries + evacuator->worker->stack.count;
  copier->original = evacuator->original;
  copier->soon_oldest = evacuator->soon_oldest;
  size_t left = is_simple ? lane->limit - lane->cursor : 0;
  copier->scan = copier->cursor = lane->cursor;
  copier->limit = lane->cursor + (left < SPGC_CHUNK_BYTES ? left : SPGC_CHUNK_BYTES);
  copier->moved_objects = evacuator->moved_objects;
}

SPGC_INLINE void spgc_copier_push_chunk(struct spgc_copier *copier) {
  if (__builtin_expect(copier->top != copier->entries_end, 1))
    *copier->top++ = spgc_entry_of_copies(copier->evacuator->heap, copier->scan, copier->cursor);
  else
    spgc_evacuator_overflow(copier->evacuator, copier->scan);
}

/* Gives back; the lane's block is tiled. */
SPGC_INLINE void spgc_copier_store(struct spgc_copier *copier) {
  struct spgc_evacuator *evacuator = copier->evacuator;
  struct spgc_lane *lane = &evacuator->worker->lanes[0];
  if (copier->scan != copier->cursor)
    spgc_copier_push_chunk(copier);
  evacuator->worker->stack.count = (uint32_t)(copier->top - copier->entries);
  evacuator->soon_oldest = copier->soon_oldest;
  evacuator->original = copier->original;
  lane->cursor = copier->cursor;
  spgc_lane_fill(lane);
  evacuator->moved_objects = copier->moved_objects;
}

/* Tiles the lane's block. */
SPGC_INLINE void spgc_copier_fill(const struct spgc_copier *copier) {
  uintptr_t end = copier->evacuator->worker->lanes[0].limit;
  if (copier->cursor != end)
    spgc_filler_write(copier->cursor, end - copier->cursor);
}

SPGC_INLINE struct spgc_copier spgc_copier_begin(struct spgc_evacuator *evacuator) {
  const struct spgc_heap *heap = evacuator->heap;
  const struct spgc_work_stack *stack = &evacuator->worker->stack;
  struct spgc_copier copier = {.evacuator = evacuator,
                               .base = heap->base,
                               .size = heap->size,
                               .words = heap->size / SPGC_WORD_BYTES,
                               .spaces = heap->spaces,
                               .scanner = evacuator->scanner,
                               .entries = stack->entries,
                               .entries_end = stack->entries + stack->capacity};
  spgc_copier_load(&copier);
  return copier;
}

SPGC_INLINE uintptr_t spgc_copier_move_rarely(struct spgc_copier *copier, uintptr_t from, uintptr_t header,
                                              enum spgc_company company) {
  if (company == SPGC_ATTEMPTING)
    *copier->original++ = from;
  spgc_copier_store(copier);
  uintptr_t to = spgc_evacuator_move(copier->evacuator, from, header, company);
  spgc_copier_load(copier);
  return to;
}

SPGC_INLINE uintptr_t spgc_copier_move(struct spgc_copier *copier, uintptr_t from, uintptr_t header,
                                       enum spgc_company company) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(from, type);
  uintptr_t to = copier->cursor;
  if (__builtin_expect(bytes > copier->limit - to, 0))
    return spgc_copier_move_rarely(copier, from, header, company);
  spgc_evacuator_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_evacuator_claim(from, header, to, company);
  if (company == SPGC_SHARED && __builtin_expect(claimed != to, 0))
    return claimed;
  copier->cursor = to + bytes;
  if (company == SPGC_ATTEMPTING)
    *copier->original++ = from;
  if (company == SPGC_READING)
    spgc_copier_fill(copier);
  copier->moved_objects++;
  if (copier->scanner != NULL)
    spgc_mark_survivor(copier->scanner, to, bytes, company);
  return to;
}

/* Returns where the small condemned object is now. */
SPGC_INLINE uintptr_t spgc_copier_forwarded(struct spgc_copier *copier, uintptr_t object, enum spgc_company company) {
  uintptr_t header = __atomic_load_n((const uintptr_t *)object, __ATOMIC_ACQUIRE);
  bool moved = header - copier->base < copier->size;
  return moved ? header : spgc_copier_move(copier, object, header, company);
}

SPGC_INLINE void spgc_copier_relabel(struct spgc_copier *copier, uint32_t index) {
  spgc_copier_store(copier);
  spgc_evacuator_relabel(copier->evacuator, index);
  spgc_copier_load(copier);
}

/* A slot of a copy in a block that was not read yet is found by who reads the block, too. Then two may forward it at
 * once: both write the same, but each must go on with the word it has looked at. */
SPGC_INLINE uintptr_t spgc_copier_read(struct spgc_slot slot) {
  return __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED);
}

SPGC_INLINE void spgc_copier_write(struct spgc_slot slot, uintptr_t word) {
  __atomic_store_n(&slot.location->word, word, __ATOMIC_RELAXED);
}

/* The small condemned object the slot refers to, or 0; if it refers to something else, what that takes is done. */
SPGC_INLINE uintptr_t spgc_copier_find(struct spgc_copier *copier, struct spgc_slot slot, enum spgc_company company) {
  uintptr_t word = spgc_copier_read(slot);
  size_t offset = spgc_words_between(copier->base, word);
  if (offset >= copier->words)
    return 0;
  uint32_t index = (uint32_t)(offset / (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES));
  enum spgc_space space = (enum spgc_space)__atomic_load_n(&copier->spaces[index], __ATOMIC_RELAXED);
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED, 1)) {
    if (word == 0) /* the range does not begin there: callers need not compare again */
      __builtin_unreachable();
    return word;
  }
  if (company == SPGC_ATTEMPTING)
    return 0;
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0))
    spgc_copier_relabel(copier, index);
  else if (copier->scanner != NULL)
    spgc_mark(copier->scanner, word, company);
  return 0;
}

SPGC_INLINE void spgc_copier_forward(struct spgc_copier *copier, struct spgc_slot slot, enum spgc_company company) {
  uintptr_t object = spgc_copier_find(copier, slot, company);
  if (object != 0)
    spgc_copier_write(slot, spgc_copier_forwarded(copier, object, company));
}

SPGC_INLINE void spgc_copier_forward_waiting(struct spgc_copier *copier, struct spgc_soon soon,
                                             enum spgc_company company) {
  if (__builtin_expect(soon.object != 0, 1))
    spgc_copier_write(soon.slot, spgc_copier_forwarded(copier, soon.object, company));
}

/* Forwards a slot that refers to this small condemned object a few slots later: its header is seldom in a cache, and
 * fetched meanwhile. */
SPGC_INLINE void spgc_copier_wait_for(struct spgc_copier *copier, struct spgc_slot slot, uintptr_t object,
                                      enum spgc_company company) {
  struct spgc_soon *place = &copier->evacuator->soon[copier->soon_oldest], oldest = *place;
  *place = (struct spgc_soon){slot, object};
  spgc_object_fetch(place->object);
  copier->soon_oldest = (copier->soon_oldest + 1) % SPGC_SOON_SLOTS;
  spgc_copier_forward_waiting(copier, oldest, company);
}

SPGC_INLINE void spgc_copier_forward_all_waiting(struct spgc_copier *copier, enum spgc_company company) {
  for (int i = 0; i < SPGC_SOON_SLOTS; i++) {
    struct spgc_soon *place = &copier->evacuator->soon[copier->soon_oldest], oldest = *place;
    place->object = 0;
    copier->soon_oldest = (copier->soon_oldest + 1) % SPGC_SOON_SLOTS;
    spgc_copier_forward_waiting(copier, oldest, company);
  }
}

SPGC_INLINE void spgc_copier_forward_soon(struct spgc_copier *copier, struct spgc_slot slot,
                                          enum spgc_company company) {
  uintptr_t object = spgc_copier_find(copier, slot, company);
  if (object != 0)
    spgc_copier_wait_for(copier, slot, object, company);
}

/* Visitors of slots. */
SPGC_INLINE void spgc_forward_soon_alone(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_soon(copier, slot, SPGC_ALONE);
}

SPGC_INLINE void spgc_forward_soon_shared(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_soon(copier, slot, SPGC_SHARED);
}

SPGC_INLINE void spgc_forward_soon_reading(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_soon(copier, slot, SPGC_READING);
}

SPGC_INLINE void spgc_forward_soon_attempting(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_soon(copier, slot, SPGC_ATTEMPTING);
}

SPGC_INLINE spgc_slot_visitor spgc_forward_soon(enum spgc_company company) {
  switch (company) {
  case SPGC_ALONE: return spgc_forward_soon_alone;
  case SPGC_SHARED: return spgc_forward_soon_shared;
  case SPGC_ATTEMPTING: return spgc_forward_soon_attempting;
  case SPGC_READING: break;
  }
  return spgc_forward_soon_reading;
}

#endif
