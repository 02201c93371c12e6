/* How a survivor is copied: the inner loop of an evacuator, over slots.
 *
 * A worker that finds a condemned object that has not moved copies it to its own PLAB. Then it
 * claims the object: it writes the copy's address into the object's header. In serial mode the
 * claim is a store. In parallel mode it is a compare-and-swap; the loser uses the winner's copy,
 * and overwrites its own with the next one. Only the header of a condemned object is ever written,
 * so copies made at the same time are equal. Each slot has one reader: the worker that copied its
 * object, or that took the entry from the shared worklist.
 *
 * A copier has the registers of the loop. The fields that change with each slot lie in a local
 * variable whose address does not escape, so that the compiler keeps them in registers. They are
 * stored into the evacuator for rarer work, and at the end of the loop.
 *
 * Copies go to a chunk of the worker's first PLAB and are scanned in the order of addresses, as in
 * Cheney's algorithm. When the chunk is full, its unscanned rest is pushed onto the stack. So the
 * children of the latest copies are copied first, and objects lie near those that refer to them.
 *
 *   PLAB   | scanned, or on the stack | to be scanned | ... chunk | ... free
 *                                     scan            cursor      limit
 */
#ifndef SPGC_GC_TRACE_COPY_H
#define SPGC_GC_TRACE_COPY_H

#include <string.h>

#include "gc/trace/evacuate.h"
#include "heap/plab.h"
#include "heap/trace_mode.h"

/* The rarer cases are kept out of the loop (gc/trace/copy.c): not inlined, and called as if nothing
 * were known of them, which leaves the loop its registers. */
#define SPGC_RARE __attribute__((noipa))

/* Moves a small condemned object that does not fit the copier's chunk, and pushes the copy.
 * `header` was read from it. Returns the object's new address. */
SPGC_RARE uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from,
                                        uintptr_t header, enum spgc_trace_mode mode);

/* A copy in `object`'s block did not fit the stack. */
SPGC_RARE void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object);

/* A large object was reached, which begins at block `index`. */
SPGC_RARE void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index);

/* The entry of adjacent copies in [from, to). */
SPGC_INLINE uintptr_t spgc_entry_of_copies(const struct spgc_heap *heap, uintptr_t from,
                                           uintptr_t to) {
  return (from - heap->base) / SPGC_WORD_BYTES << SPGC_ENTRY_WORD_SHIFT |
         (to - from) / SPGC_WORD_BYTES << SPGC_ENTRY_BITS | SPGC_ENTRY_COPIES;
}

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

struct spgc_copier {
  struct spgc_evacuator *evacuator;
  uintptr_t base; /* this and the next four: constant */
  size_t size, words;
  const uint8_t *spaces;
  struct spgc_scanner *scanner;
  uintptr_t *entries, *top; /* the worker's stack */
  uintptr_t *entries_end;   /* the end of its capacity */
  uintptr_t *undo_entry;    /* the next free entry of the undo log, in a speculation */
  uint32_t prefetch_oldest;
  uintptr_t scan, cursor, limit; /* limit == cursor when every copy needs the rare path */
  uint64_t moved_objects;
};

enum { SPGC_CHUNK_BYTES = SPGC_BLOCK_BYTES / 8 };

/* Takes the state over from the evacuator, and begins a new chunk. */
SPGC_INLINE void spgc_copier_load(struct spgc_copier *copier) {
  const struct spgc_evacuator *evacuator = copier->evacuator;
  const struct spgc_plab *plab = &evacuator->worker->plabs[0];
  bool is_simple = evacuator->shuffle == NULL && evacuator->hook == NULL;
  copier->top = copier->entries + evacuator->worker->stack.count;
  copier->undo_entry = evacuator->undo_entry;
  copier->prefetch_oldest = evacuator->prefetch_oldest;
  size_t left = is_simple ? plab->limit - plab->cursor : 0;
  copier->scan = copier->cursor = plab->cursor;
  copier->limit = plab->cursor + (left < SPGC_CHUNK_BYTES ? left : SPGC_CHUNK_BYTES);
  copier->moved_objects = evacuator->moved_objects;
}

SPGC_INLINE void spgc_copier_push_chunk(struct spgc_copier *copier) {
  if (__builtin_expect(copier->top != copier->entries_end, 1))
    *copier->top++ = spgc_entry_of_copies(copier->evacuator->heap, copier->scan, copier->cursor);
  else
    spgc_evacuator_overflow(copier->evacuator, copier->scan);
}

/* Gives the state back to the evacuator. The PLAB's block is tiled then. */
SPGC_INLINE void spgc_copier_store(struct spgc_copier *copier) {
  struct spgc_evacuator *evacuator = copier->evacuator;
  struct spgc_plab *plab = &evacuator->worker->plabs[0];
  if (copier->scan != copier->cursor)
    spgc_copier_push_chunk(copier);
  evacuator->worker->stack.count = (uint32_t)(copier->top - copier->entries);
  evacuator->prefetch_oldest = copier->prefetch_oldest;
  evacuator->undo_entry = copier->undo_entry;
  plab->cursor = copier->cursor;
  spgc_plab_fill(plab);
  evacuator->moved_objects = copier->moved_objects;
}

/* Makes a filler of the PLAB's rest, so that its block is tiled. */
SPGC_INLINE void spgc_copier_fill(const struct spgc_copier *copier) {
  uintptr_t end = copier->evacuator->worker->plabs[0].limit;
  if (copier->cursor != end)
    spgc_filler_write(copier->cursor, end - copier->cursor);
}

SPGC_INLINE struct spgc_copier spgc_copier_begin(struct spgc_evacuator *evacuator) {
  const struct spgc_heap *heap = evacuator->heap;
  const struct spgc_worklist *stack = &evacuator->worker->stack;
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

SPGC_INLINE uintptr_t spgc_copier_move_rarely(struct spgc_copier *copier, uintptr_t from,
                                              uintptr_t header, enum spgc_trace_mode mode) {
  if (mode == SPGC_TRACE_SPECULATIVE)
    *copier->undo_entry++ = from;
  spgc_copier_store(copier);
  uintptr_t to = spgc_evacuator_move(copier->evacuator, from, header, mode);
  spgc_copier_load(copier);
  return to;
}

SPGC_INLINE uintptr_t spgc_copier_move(struct spgc_copier *copier, uintptr_t from, uintptr_t header,
                                       enum spgc_trace_mode mode) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(spgc_ref_from_word(from), type);
  uintptr_t to = copier->cursor;
  if (__builtin_expect(bytes > copier->limit - to, 0))
    return spgc_copier_move_rarely(copier, from, header, mode);
  spgc_evacuator_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_evacuator_claim(from, header, to, mode);
  if (mode == SPGC_TRACE_PARALLEL && __builtin_expect(claimed != to, 0))
    return claimed;
  copier->cursor = to + bytes;
  if (mode == SPGC_TRACE_SPECULATIVE)
    *copier->undo_entry++ = from;
  if (mode == SPGC_TRACE_SCANNING)
    spgc_copier_fill(copier);
  copier->moved_objects++;
  if (copier->scanner != NULL)
    spgc_mark_survivor(copier->scanner, spgc_ref_from_word(to), bytes, mode);
  return to;
}

/* Returns the new address of a small condemned object, which moves if it has not. */
SPGC_INLINE uintptr_t spgc_copier_forwarded(struct spgc_copier *copier, uintptr_t object,
                                            enum spgc_trace_mode mode) {
  uintptr_t header = __atomic_load_n((const uintptr_t *)object, __ATOMIC_ACQUIRE);
  bool moved = header - copier->base < copier->size;
  return moved ? header : spgc_copier_move(copier, object, header, mode);
}

SPGC_INLINE void spgc_copier_relabel(struct spgc_copier *copier, uint32_t index) {
  spgc_copier_store(copier);
  spgc_evacuator_relabel(copier->evacuator, index);
  spgc_copier_load(copier);
}

/* Two workers may forward the same slot at once: the one that scans a copy, and the one that took
 * the slot from a scan of the copy's block. Both write the same word. Each must go on with
 * the word that it has checked, so the slot is read once. A worker that reads another worker's word
 * may read the copy, too, so the word is published. */
SPGC_INLINE uintptr_t spgc_copier_read(struct spgc_slot slot) {
  return __atomic_load_n(&slot.location->word, __ATOMIC_ACQUIRE);
}

SPGC_INLINE void spgc_copier_write(struct spgc_slot slot, uintptr_t word) {
  __atomic_store_n(&slot.location->word, word, __ATOMIC_RELEASE);
}

/* Returns the small condemned object that the slot refers to, or 0. If the slot refers to a large
 * condemned object or an old object, relabels or marks that. */
SPGC_INLINE uintptr_t spgc_copier_find(struct spgc_copier *copier, struct spgc_slot slot,
                                       enum spgc_trace_mode mode) {
  uintptr_t word = spgc_copier_read(slot);
  size_t offset = spgc_words_between(copier->base, word);
  if (offset >= copier->words)
    return 0;
  uint32_t index = (uint32_t)(offset / (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES));
  enum spgc_space space =
      (enum spgc_space)__atomic_load_n(&copier->spaces[index], __ATOMIC_RELAXED);
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED, 1)) {
    if (word == 0) /* impossible, because the range does not begin at 0: saves a comparison */
      __builtin_unreachable();
    return word;
  }
  if (mode == SPGC_TRACE_SPECULATIVE)
    return 0;
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0))
    spgc_copier_relabel(copier, index);
  else if (copier->scanner != NULL)
    spgc_mark(copier->scanner, spgc_ref_from_word(word), mode);
  return 0;
}

SPGC_INLINE void spgc_copier_forward(struct spgc_copier *copier, struct spgc_slot slot,
                                     enum spgc_trace_mode mode) {
  uintptr_t object = spgc_copier_find(copier, slot, mode);
  if (object != 0)
    spgc_copier_write(slot, spgc_copier_forwarded(copier, object, mode));
}

SPGC_INLINE void spgc_copier_forward_prefetched(struct spgc_copier *copier,
                                                struct spgc_prefetched_slot prefetched,
                                                enum spgc_trace_mode mode) {
  if (__builtin_expect(prefetched.object != 0, 1))
    spgc_copier_write(prefetched.slot, spgc_copier_forwarded(copier, prefetched.object, mode));
}

/* Enqueues a slot that refers to a small condemned object, and forwards the oldest slot of the
 * prefetch queue. The object's header is seldom cached, so it is prefetched meanwhile. */
SPGC_INLINE void spgc_copier_enqueue(struct spgc_copier *copier, struct spgc_slot slot,
                                     uintptr_t object, enum spgc_trace_mode mode) {
  struct spgc_prefetched_slot *place = &copier->evacuator->prefetch_queue[copier->prefetch_oldest],
                              oldest = *place;
  *place = (struct spgc_prefetched_slot){slot, object};
  spgc_object_fetch(spgc_ref_from_word(place->object));
  copier->prefetch_oldest = (copier->prefetch_oldest + 1) % SPGC_PREFETCH_QUEUE_SLOTS;
  spgc_copier_forward_prefetched(copier, oldest, mode);
}

SPGC_INLINE void spgc_copier_forward_queued(struct spgc_copier *copier, struct spgc_slot slot,
                                            enum spgc_trace_mode mode) {
  uintptr_t object = spgc_copier_find(copier, slot, mode);
  if (object != 0 && SPGC_HAS_PREFETCH_QUEUE)
    spgc_copier_enqueue(copier, slot, object, mode);
  else if (object != 0)
    spgc_copier_write(slot, spgc_copier_forwarded(copier, object, mode));
}

/* The slot visitors of two trace modes; gc/trace/copy.c has those of the others. */
SPGC_INLINE void spgc_forward_queued_serial(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_queued(copier, slot, SPGC_TRACE_SERIAL);
}

SPGC_INLINE void spgc_forward_queued_scanning(void *copier, struct spgc_slot slot) {
  spgc_copier_forward_queued(copier, slot, SPGC_TRACE_SCANNING);
}

#endif
