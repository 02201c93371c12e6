/* The inner loop of an evacuator, from a slot to an object to its slots (docs/collections.md,
 * "Copying"; "Workers" says how workers claim objects). Of condemned objects only headers are
 * written, so copies made at the same time are equal.
 *
 * What changes with each slot is in a local variable whose address does not escape, so it stays in
 * registers. Closing writes it to the evacuator, at the end and for rarer work.
 *
 *   PLAB   | scanned, or on the stack | to be scanned | ... chunk | ... free
 *                                     scan            cursor      limit */
#ifndef SPGC_GC_TRACE_COPIER_H
#define SPGC_GC_TRACE_COPIER_H

#include "gc/trace/evacuate.h"
#include "heap/hole.h"

struct copier {
  struct spgc_evacuator *evacuator;
  uintptr_t base; /* constant, as the next four */
  size_t size, words;
  const uint8_t *spaces;
  struct spgc_scanner *scanner; /* marks copies; or NULL */
  struct spgc_scanner *others;  /* marks old objects; or NULL */
  uintptr_t *entries, *top;     /* the worker's stack */
  uintptr_t *entries_end;
  uint32_t prefetch_oldest;
  uintptr_t scan, cursor, limit; /* limit == cursor: every copy takes the rare path */
  uint64_t moved_objects;
};

enum { CHUNK_BYTES = SPGC_BLOCK_BYTES / 8 };

SPGC_INLINE void open_copier(struct copier *copier) {
  const struct spgc_evacuator *evacuator = copier->evacuator;
  const struct spgc_plab *plab = &evacuator->worker->plabs[0];
  bool is_simple = evacuator->shuffle == NULL && evacuator->hook == NULL;
  copier->top = copier->entries + evacuator->worker->stack.count;
  copier->prefetch_oldest = evacuator->prefetch_oldest;
  size_t left = is_simple ? plab->limit - plab->cursor : 0;
  copier->scan = copier->cursor = plab->cursor;
  copier->limit = plab->cursor + (left < CHUNK_BYTES ? left : CHUNK_BYTES);
  copier->moved_objects = evacuator->moved_objects;
}

/* The entry of adjacent copies in [from, to). */
SPGC_INLINE uintptr_t entry_of_copies(uintptr_t base, uintptr_t from, uintptr_t to) {
  return (from - base) / SPGC_WORD_BYTES << SPGC_ENTRY_WORD_SHIFT |
         (to - from) / SPGC_WORD_BYTES << SPGC_ENTRY_BITS | SPGC_ENTRY_COPIES;
}

SPGC_INLINE void push_chunk(struct copier *copier) {
  if (__builtin_expect(copier->top != copier->entries_end, 1))
    *copier->top++ = entry_of_copies(copier->base, copier->scan, copier->cursor);
  else
    spgc_evacuator_overflow(copier->evacuator, copier->scan);
}

SPGC_INLINE void fill_plab(const struct copier *copier) {
  uintptr_t end = copier->evacuator->worker->plabs[0].limit;
  if (copier->cursor != end)
    spgc_filler_write(copier->cursor, end - copier->cursor);
}

SPGC_INLINE void close_copier(struct copier *copier) {
  struct spgc_evacuator *evacuator = copier->evacuator;
  struct spgc_plab *plab = &evacuator->worker->plabs[0];
  if (copier->scan != copier->cursor)
    push_chunk(copier);
  evacuator->worker->stack.count = (uint32_t)(copier->top - copier->entries);
  evacuator->prefetch_oldest = copier->prefetch_oldest;
  plab->cursor = copier->cursor;
  fill_plab(copier);
  evacuator->moved_objects = copier->moved_objects;
}

/* After a marking everything reachable is marked, so only copies need marks. */
SPGC_INLINE struct spgc_scanner *scanner_of_others(const struct spgc_evacuator *evacuator) {
  const struct spgc_marker *marker = evacuator->evacuation->marker;
  return marker != NULL && marker->active ? evacuator->scanner : NULL;
}

SPGC_INLINE struct copier begin(struct spgc_evacuator *evacuator) {
  const struct spgc_heap *heap = evacuator->heap;
  const struct spgc_worklist *stack = &evacuator->worker->stack;
  struct copier copier = {.evacuator = evacuator,
                          .base = heap->base,
                          .size = heap->size,
                          .words = heap->size / SPGC_WORD_BYTES,
                          .spaces = heap->spaces,
                          .scanner = evacuator->scanner,
                          .others = scanner_of_others(evacuator),
                          .entries = stack->entries,
                          .entries_end = stack->entries + stack->capacity};
  open_copier(&copier);
  return copier;
}

SPGC_INLINE uintptr_t move(struct copier *copier, uintptr_t from, uintptr_t header,
                           enum spgc_trace_mode mode) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes((struct spgc_ref){from}, type);
  uintptr_t to = copier->cursor;
  if (__builtin_expect(bytes > copier->limit - to, 0)) {
    close_copier(copier);
    to = spgc_evacuator_move(copier->evacuator, from, header, mode);
    open_copier(copier);
    return to;
  }
  spgc_object_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_object_claim(from, header, to, mode);
  if (mode == SPGC_TRACE_PARALLEL && __builtin_expect(claimed != to, 0)) {
    fill_plab(copier);
    return claimed;
  }
  copier->cursor = to + bytes;
  if (mode == SPGC_TRACE_SCANNING || mode == SPGC_TRACE_PARALLEL)
    fill_plab(copier);
  copier->moved_objects++;
  if (copier->scanner != NULL)
    spgc_mark_survivor(copier->scanner, (struct spgc_ref){to}, bytes, mode);
  return to;
}

SPGC_INLINE uintptr_t forwarded(struct copier *copier, uintptr_t object,
                                enum spgc_trace_mode mode) {
  uintptr_t header = __atomic_load_n((const uintptr_t *)object, __ATOMIC_ACQUIRE);
  bool moved = header - copier->base < copier->size;
  return moved ? header : move(copier, object, header, mode);
}

SPGC_INLINE void handle_rare_space(struct copier *copier, struct spgc_slot slot, uint32_t index,
                                   enum spgc_space space) {
  if (space != SPGC_SPACE_CONDEMNED_LARGE) {
    spgc_evacuator_relocate(copier->evacuator, slot);
    return;
  }
  close_copier(copier);
  spgc_evacuator_relabel(copier->evacuator, index);
  open_copier(copier);
}

/* Two workers may forward the same slot: one copies into holes of the blocks that it walks
 * (gc/trace/parallel_scan.c), and the other has the copy from the shared worklist. Both write the
 * same word. Each must use the word it has checked, so the slot is read once. Who reads the other's
 * word may read the copy, so it is published. */
SPGC_INLINE uintptr_t read_slot(struct spgc_slot slot) {
  return __atomic_load_n(&slot.location->word, __ATOMIC_ACQUIRE);
}

SPGC_INLINE void write_slot(struct spgc_slot slot, uintptr_t word) {
  __atomic_store_n(&slot.location->word, word, __ATOMIC_RELEASE);
}

SPGC_INLINE uint32_t block_at(size_t offset) {
  return (uint32_t)(offset / (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES));
}

SPGC_INLINE enum spgc_space space_of(const struct copier *copier, uint32_t index) {
  return (enum spgc_space)__atomic_load_n(&copier->spaces[index], __ATOMIC_RELAXED);
}

/* The small condemned object that the slot refers to, or 0. Relabels large condemned objects,
 * updates roots that refer to relocating ones, and marks old ones. */
SPGC_INLINE uintptr_t find_condemned(struct copier *copier, struct spgc_slot slot,
                                     enum spgc_trace_mode mode) {
  uintptr_t word = read_slot(slot);
  size_t offset = spgc_words_between(copier->base, word);
  if (offset >= copier->words)
    return 0;
  uint32_t index = block_at(offset);
  enum spgc_space space = space_of(copier, index);
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED, 1)) {
    if (word == 0) /* impossible: the range does not begin at 0. Saves a comparison */
      __builtin_unreachable();
    return word;
  }
  if (__builtin_expect(space > SPGC_SPACE_CONDEMNED, 0))
    handle_rare_space(copier, slot, index, space);
  else if (copier->others != NULL)
    spgc_mark_field(copier->others, slot, (struct spgc_ref){word}, mode);
  return 0;
}

/* Forwards the oldest slot of the queue. Headers are seldom cached. */
SPGC_INLINE void enqueue(struct copier *copier, struct spgc_slot slot, uintptr_t object,
                         enum spgc_trace_mode mode) {
  struct spgc_prefetched_slot *place = &copier->evacuator->prefetch_queue[copier->prefetch_oldest],
                              oldest = *place;
  *place = (struct spgc_prefetched_slot){slot, object};
  spgc_object_fetch((struct spgc_ref){place->object});
  copier->prefetch_oldest = (copier->prefetch_oldest + 1) % SPGC_PREFETCHED;
  if (__builtin_expect(oldest.object != 0, 1))
    write_slot(oldest.slot, forwarded(copier, oldest.object, mode));
}

SPGC_INLINE void forward_queued(struct copier *copier, struct spgc_slot slot,
                                enum spgc_trace_mode mode) {
  uintptr_t object = find_condemned(copier, slot, mode);
  if (object != 0 && SPGC_HAS_PREFETCH_QUEUE)
    enqueue(copier, slot, object, mode);
  else if (object != 0)
    write_slot(slot, forwarded(copier, object, mode));
}

SPGC_INLINE void drain_prefetch_queue(struct copier *copier, enum spgc_trace_mode mode) {
  for (int i = 0; i < SPGC_PREFETCHED; i++)
    enqueue(copier, (struct spgc_slot){NULL}, 0, mode);
}

SPGC_VISITOR_IN_MODES(forward_queued)

SPGC_INLINE bool is_condemned(const struct copier *copier, uintptr_t word) {
  size_t offset = spgc_words_between(copier->base, word);
  return offset < copier->words && spgc_space_is_condemned(space_of(copier, block_at(offset)));
}

/* Weak processing updates what is recorded. */
SPGC_INLINE void record_weak(struct copier *copier, struct spgc_slot element,
                             enum spgc_trace_mode mode) {
  if (is_condemned(copier, read_slot(element)) &&
      !spgc_evacuator_record_weak(copier->evacuator, element))
    forward_queued(copier, element, mode);
}

SPGC_VISITOR_IN_MODES(record_weak)

SPGC_INLINE void scan_weak(struct copier *copier, struct spgc_ref array, uintptr_t from,
                           uintptr_t to, enum spgc_trace_mode mode) {
  close_copier(copier);
  spgc_evacuator_scan_weak(copier->evacuator, array, spgc_object_type(array), from, to, mode);
  open_copier(copier);
}

SPGC_INLINE struct spgc_ref scan_object(struct copier *copier, struct spgc_ref object,
                                        enum spgc_trace_mode mode) {
  const struct spgc_type *type = spgc_object_type(object);
  struct spgc_ref next = {object.word + spgc_object_bytes(object, type)};
  if (__builtin_expect(spgc_type_is_weak(type), 0))
    scan_weak(copier, object, object.word, next.word, mode);
  else
    spgc_object_visit(object, type, forward_queued_in(mode), copier);
  return next;
}

#endif
