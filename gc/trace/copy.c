/* How a survivor is copied: the inner loop of an evacuator, from an object to a slot and to an
 * entry of the stack, and the scans that run it.
 *
 * A worker that finds a condemned object that has not moved copies it to its own PLAB. Then it
 * claims the object: it writes the copy's address into the object's header. In serial mode the
 * claim is a store. In parallel mode it is a compare-and-swap; the loser uses the winner's copy,
 * and overwrites its own with the next one. Only the header of a condemned object is ever written,
 * so copies made at the same time are equal. A slot may have two readers: see read_slot().
 *
 * A copier has the registers of the loop. The fields that change with each slot are in a local
 * variable whose address does not escape, so that the compiler keeps them in registers. Closing the
 * copier writes them to the evacuator: for rarer work, after which it is opened again, and at the
 * end of the loop.
 *
 * Copies go to a chunk of the worker's first PLAB and are scanned in the order of addresses, as in
 * Cheney's algorithm. When the chunk is full, its unscanned rest is pushed onto the stack. So the
 * children of the latest copies are copied first, and objects lie near those that refer to them.
 *
 *   PLAB   | scanned, or on the stack | to be scanned | ... chunk | ... free
 *                                     scan            cursor      limit
 */
#include "gc/trace/evacuate.h"
#include "heap/plab.h"
#include "heap/remembered/scan.h"

/* ---- The loop's state ---- */

struct copier {
  struct spgc_evacuator *evacuator;
  uintptr_t base; /* this and the next four: constant */
  size_t size, words;
  const uint8_t *spaces;
  struct spgc_scanner *scanner; /* marks copies, or NULL */
  struct spgc_scanner *others;  /* marks reached old objects, or NULL */
  uintptr_t *entries, *top;     /* the worker's stack */
  uintptr_t *entries_end;       /* of its capacity */
  uint32_t prefetch_oldest;
  uintptr_t scan, cursor, limit; /* limit == cursor if every copy needs the rare path */
  uint64_t moved_objects;
};

enum { CHUNK_BYTES = SPGC_BLOCK_BYTES / 8 };

/* Reads the state from the evacuator, and begins a new chunk. */
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

void spgc_evacuator_push_copies(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t to) {
  if (spgc_worklist_has_space(&evacuator->worker->stack, 1))
    spgc_worklist_push(&evacuator->worker->stack, entry_of_copies(evacuator->heap->base, from, to));
  else
    spgc_evacuator_overflow(evacuator, from);
}

SPGC_INLINE void push_chunk(struct copier *copier) {
  if (__builtin_expect(copier->top != copier->entries_end, 1))
    *copier->top++ = entry_of_copies(copier->base, copier->scan, copier->cursor);
  else
    spgc_evacuator_overflow(copier->evacuator, copier->scan);
}

/* Makes a filler of the PLAB's rest, so that its block is tiled. */
SPGC_INLINE void fill_plab(const struct copier *copier) {
  uintptr_t end = copier->evacuator->worker->plabs[0].limit;
  if (copier->cursor != end)
    spgc_filler_write(copier->cursor, end - copier->cursor);
}

/* Writes the state to the evacuator, and tiles the PLAB's block. */
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

/* After a marking everything reachable is marked: only copies need marks. */
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

/* ---- An object ---- */

SPGC_INLINE uintptr_t move_rarely(struct copier *copier, uintptr_t from, uintptr_t header,
                                  enum spgc_trace_mode mode) {
  close_copier(copier);
  uintptr_t to = spgc_evacuator_move(copier->evacuator, from, header, mode);
  open_copier(copier);
  return to;
}

SPGC_INLINE uintptr_t move(struct copier *copier, uintptr_t from, uintptr_t header,
                           enum spgc_trace_mode mode) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes((struct spgc_ref){from}, type);
  uintptr_t to = copier->cursor;
  if (__builtin_expect(bytes > copier->limit - to, 0))
    return move_rarely(copier, from, header, mode);
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

/* The new address of a small condemned object, which is moved if it was not. */
SPGC_INLINE uintptr_t forwarded(struct copier *copier, uintptr_t object,
                                enum spgc_trace_mode mode) {
  uintptr_t header = __atomic_load_n((const uintptr_t *)object, __ATOMIC_ACQUIRE);
  bool moved = header - copier->base < copier->size;
  return moved ? header : move(copier, object, header, mode);
}

/* ---- A slot ---- */

SPGC_INLINE void relabel(struct copier *copier, uint32_t index) {
  close_copier(copier);
  spgc_evacuator_relabel(copier->evacuator, index);
  open_copier(copier);
}

/* Two workers may forward the same slot at once: a worker copies into holes of the blocks that it
 * walks (gc/trace/parallel_scan.c), and another may have taken the copy from the shared worklist.
 * Both write the same word. Each must use the word that it has checked, so the slot is read once. A
 * worker that reads the other's word may also read the copy, so the word is published. */
SPGC_INLINE uintptr_t read_slot(struct spgc_slot slot) {
  return __atomic_load_n(&slot.location->word, __ATOMIC_ACQUIRE);
}

SPGC_INLINE void write_slot(struct spgc_slot slot, uintptr_t word) {
  __atomic_store_n(&slot.location->word, word, __ATOMIC_RELEASE);
}

/* The block of the word with this index in the range. */
SPGC_INLINE uint32_t block_at(size_t offset) {
  return (uint32_t)(offset / (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES));
}

SPGC_INLINE enum spgc_space space_of(const struct copier *copier, uint32_t index) {
  return (enum spgc_space)__atomic_load_n(&copier->spaces[index], __ATOMIC_RELAXED);
}

SPGC_INLINE bool is_condemned(const struct copier *copier, uintptr_t word) {
  size_t offset = spgc_words_between(copier->base, word);
  return offset < copier->words && spgc_space_is_condemned(space_of(copier, block_at(offset)));
}

/* The small condemned object that the slot refers to, or 0. Relabels a large condemned object, and
 * marks an old object. */
SPGC_INLINE uintptr_t find_condemned(struct copier *copier, struct spgc_slot slot,
                                     enum spgc_trace_mode mode) {
  uintptr_t word = read_slot(slot);
  size_t offset = spgc_words_between(copier->base, word);
  if (offset >= copier->words)
    return 0;
  uint32_t index = block_at(offset);
  enum spgc_space space = space_of(copier, index);
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED, 1)) {
    if (word == 0) /* impossible, because the range does not begin at 0: saves a comparison */
      __builtin_unreachable();
    return word;
  }
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0))
    relabel(copier, index);
  else if (copier->others != NULL)
    spgc_mark_field(copier->others, slot, (struct spgc_ref){word}, mode);
  return 0;
}

SPGC_INLINE void forward(struct copier *copier, struct spgc_slot slot, enum spgc_trace_mode mode) {
  uintptr_t object = find_condemned(copier, slot, mode);
  if (object != 0)
    write_slot(slot, forwarded(copier, object, mode));
}

SPGC_INLINE void forward_prefetched(struct copier *copier, struct spgc_prefetched_slot prefetched,
                                    enum spgc_trace_mode mode) {
  if (__builtin_expect(prefetched.object != 0, 1))
    write_slot(prefetched.slot, forwarded(copier, prefetched.object, mode));
}

/* Enqueues a slot that refers to a small condemned object, and forwards the oldest slot of the
 * prefetch queue. The object's header is prefetched, because it is seldom cached. */
SPGC_INLINE void enqueue(struct copier *copier, struct spgc_slot slot, uintptr_t object,
                         enum spgc_trace_mode mode) {
  struct spgc_prefetched_slot *place = &copier->evacuator->prefetch_queue[copier->prefetch_oldest],
                              oldest = *place;
  *place = (struct spgc_prefetched_slot){slot, object};
  spgc_object_fetch((struct spgc_ref){place->object});
  copier->prefetch_oldest = (copier->prefetch_oldest + 1) % SPGC_PREFETCH_QUEUE_SLOTS;
  forward_prefetched(copier, oldest, mode);
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
  for (int i = 0; i < SPGC_PREFETCH_QUEUE_SLOTS; i++) {
    struct spgc_prefetched_slot *place =
                                    &copier->evacuator->prefetch_queue[copier->prefetch_oldest],
                                oldest = *place;
    place->object = 0;
    copier->prefetch_oldest = (copier->prefetch_oldest + 1) % SPGC_PREFETCH_QUEUE_SLOTS;
    forward_prefetched(copier, oldest, mode);
  }
}

/* The slot visitors of the trace modes. */
SPGC_INLINE void forward_queued_serial(void *copier, struct spgc_slot slot) {
  forward_queued(copier, slot, SPGC_TRACE_SERIAL);
}

SPGC_INLINE void forward_queued_parallel(void *copier, struct spgc_slot slot) {
  forward_queued(copier, slot, SPGC_TRACE_PARALLEL);
}

SPGC_INLINE void forward_queued_scanning(void *copier, struct spgc_slot slot) {
  forward_queued(copier, slot, SPGC_TRACE_SCANNING);
}

SPGC_INLINE spgc_slot_visitor slot_visitor(enum spgc_trace_mode mode) {
  switch (mode) {
  case SPGC_TRACE_SERIAL: return forward_queued_serial;
  case SPGC_TRACE_PARALLEL: return forward_queued_parallel;
  case SPGC_TRACE_SCANNING: break;
  }
  return forward_queued_scanning;
}

/* ---- An entry of the stack ---- */

/* Whether an object has weak elements, which weak processing updates. Only a collection that moves
 * everything finds out which of their objects are alive. */
SPGC_INLINE bool leaves_weak(const struct copier *copier, const struct spgc_type *type) {
  return __builtin_expect(spgc_type_is_weak(type), 0) && copier->evacuator->shuffle != NULL;
}

/* Returns the next object. */
SPGC_INLINE struct spgc_ref scan_object(struct copier *copier, struct spgc_ref object,
                                        enum spgc_trace_mode mode) {
  const struct spgc_type *type = spgc_object_type(object);
  struct spgc_ref next = {object.word + spgc_object_bytes(object, type)};
  if (leaves_weak(copier, type))
    spgc_heap_flag_weak(copier->evacuator->heap, object);
  else
    spgc_object_visit(object, type, slot_visitor(mode), copier);
  return next;
}

SPGC_INLINE void scan_objects(struct copier *copier, uintptr_t from, uintptr_t to,
                              enum spgc_trace_mode mode) {
  struct spgc_ref object = {from};
  while (object.word < to)
    object = scan_object(copier, object, mode);
}

SPGC_INLINE void scan_part(struct copier *copier, uintptr_t entry, enum spgc_trace_mode mode) {
  struct spgc_ref object = spgc_heap_first_object(copier->evacuator->heap, (uint32_t)(entry >> 32));
  uintptr_t from = object.word + ((entry & UINT32_MAX) >> SPGC_ENTRY_BITS << SPGC_BLOCK_SHIFT);
  struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, slot_visitor(mode), copier};
  if (!leaves_weak(copier, spgc_object_type(object)))
    spgc_object_visit_within(object, spgc_object_type(object), &window);
}

/* Parts of large objects are rare, so their scan is kept out of the loop. */
static __attribute__((noinline)) void scan_part_apart(struct spgc_evacuator *evacuator,
                                                      uintptr_t entry, bool in_parallel) {
  struct copier copier = begin(evacuator);
  if (in_parallel)
    scan_part(&copier, entry, SPGC_TRACE_PARALLEL);
  else
    scan_part(&copier, entry, SPGC_TRACE_SERIAL);
  close_copier(&copier);
}

SPGC_INLINE void scan_part_rarely(struct copier *copier, uintptr_t entry,
                                  enum spgc_trace_mode mode) {
  close_copier(copier);
  scan_part_apart(copier->evacuator, entry, mode == SPGC_TRACE_PARALLEL);
  open_copier(copier);
}

SPGC_INLINE bool has_work(const struct copier *copier) {
  return copier->scan != copier->cursor || copier->top != copier->entries;
}

/* Scans the latest copies: the chunk's rest, or else the newest entry of the stack. */
SPGC_INLINE void scan_newest(struct copier *copier, enum spgc_trace_mode mode) {
  uintptr_t from = copier->scan, to = copier->cursor;
  if (from == to) {
    uintptr_t entry = *--copier->top;
    if (__builtin_expect((entry & SPGC_ENTRY_MASK) != SPGC_ENTRY_COPIES, 0)) {
      scan_part_rarely(copier, entry, mode);
      return;
    }
    size_t words = (entry & ((1 << SPGC_ENTRY_WORD_SHIFT) - 1)) >> SPGC_ENTRY_BITS;
    from = copier->base + (entry >> SPGC_ENTRY_WORD_SHIFT) * SPGC_WORD_BYTES;
    to = from + words * SPGC_WORD_BYTES;
  } else {
    copier->scan = to;
  }
  scan_objects(copier, from, to, mode);
}

/* ---- The stack ---- */

/* Scans `period` entries, or until nothing is left. */
SPGC_INLINE void scan_some(struct spgc_evacuator *evacuator, uint32_t period,
                           enum spgc_trace_mode mode) {
  struct copier copier = begin(evacuator);
  for (uint32_t i = 0; i < period && has_work(&copier); i++)
    scan_newest(&copier, mode);
  if (!has_work(&copier))
    drain_prefetch_queue(&copier, mode);
  close_copier(&copier);
}

void spgc_evacuator_scan_some(struct spgc_evacuator *evacuator, uint32_t entries) {
  scan_some(evacuator, entries, SPGC_TRACE_SERIAL);
}

SPGC_INLINE void share_stack(struct copier *copier, struct spgc_shared_worklist *shared) {
  close_copier(copier);
  spgc_shared_worklist_give(shared, &copier->evacuator->worker->stack);
  open_copier(copier);
}

void spgc_evacuator_scan_own(struct spgc_evacuator *evacuator,
                             struct spgc_shared_worklist *shared) {
  struct copier copier = begin(evacuator);
  do {
    while (has_work(&copier)) {
      scan_newest(&copier, SPGC_TRACE_PARALLEL);
      if (__builtin_expect(
              spgc_shared_worklist_is_wanted(shared, (uint32_t)(copier.top - copier.entries)), 0))
        share_stack(&copier, shared);
    }
    drain_prefetch_queue(&copier, SPGC_TRACE_PARALLEL);
  } while (has_work(&copier));
  close_copier(&copier);
}

/* ---- Roots ---- */

/* Most roots refer to old objects: they need none of the loop's state. */
static bool concerns(const struct spgc_evacuator *evacuator, uintptr_t word) {
  const struct spgc_heap *heap = evacuator->heap;
  return spgc_heap_contains(heap, word) &&
         (scanner_of_others(evacuator) != NULL ||
          spgc_space_is_condemned(spgc_heap_space(heap, spgc_heap_block_of(heap, word))));
}

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  if (!concerns(&evacuation->workers[0], slot.location->word))
    return;
  struct copier copier = begin(&evacuation->workers[0]);
  forward(&copier, slot, SPGC_TRACE_SERIAL);
  close_copier(&copier);
}

/* ---- Dirty cards ---- */

/* Forwards a slot of an unmarked object, which must not keep old objects alive. */
SPGC_INLINE void forward_condemned(struct copier *copier, struct spgc_slot slot,
                                   enum spgc_trace_mode mode) {
  if (is_condemned(copier, read_slot(slot)))
    forward_queued(copier, slot, mode);
}

SPGC_INLINE void forward_condemned_scanning(void *copier, struct spgc_slot slot) {
  forward_condemned(copier, slot, SPGC_TRACE_SCANNING);
}

SPGC_INLINE void forward_condemned_parallel(void *copier, struct spgc_slot slot) {
  forward_condemned(copier, slot, SPGC_TRACE_PARALLEL);
}

SPGC_INLINE void forward_object(struct copier *copier, struct spgc_ref object, uintptr_t from,
                                uintptr_t to, enum spgc_trace_mode mode) {
  const struct spgc_type *type = spgc_object_type(object);
  if (spgc_marks_others(copier->evacuator->evacuation, copier->scanner, object)) {
    struct spgc_window window = {from, to, slot_visitor(mode), copier};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to,
                                 mode == SPGC_TRACE_PARALLEL ? forward_condemned_parallel
                                                             : forward_condemned_scanning,
                                 copier};
    spgc_object_visit_within(object, type, &window);
  }
}

SPGC_INLINE void forward_object_scanning(void *copier, struct spgc_ref object, uintptr_t from,
                                         uintptr_t to) {
  forward_object(copier, object, from, to, SPGC_TRACE_SCANNING);
}

SPGC_INLINE void forward_object_parallel(void *copier, struct spgc_ref object, uintptr_t from,
                                         uintptr_t to) {
  forward_object(copier, object, from, to, SPGC_TRACE_PARALLEL);
}

/* The state of a dirty card after its scan. */
static uint8_t after(const struct spgc_evacuator *evacuator) {
  return evacuator->evacuation->leaves_cards ? SPGC_CARD_DEFERRED : SPGC_CARD_CLEAN;
}

SPGC_INLINE void scan_cards(struct spgc_evacuator *evacuator, struct spgc_unit blocks,
                            spgc_dirty_visitor visit) {
  struct copier copier = begin(evacuator);
  spgc_cards_visit_dirty(evacuator->heap, spgc_first_group(blocks.first),
                         spgc_first_group(blocks.end), after(evacuator), visit, &copier,
                         &evacuator->cards_read);
  close_copier(&copier);
}

void spgc_evacuator_scan_cards(struct spgc_evacuator *evacuator, struct spgc_unit blocks) {
  scan_cards(evacuator, blocks, forward_object_scanning);
}

void spgc_evacuator_share_cards(struct spgc_evacuator *evacuator, struct spgc_unit blocks) {
  scan_cards(evacuator, blocks, forward_object_parallel);
}

/* ---- Store buffers ---- */

SPGC_INLINE void scan_stores(struct spgc_evacuator *evacuator, const struct spgc_slot *fields,
                             uint32_t count, spgc_slot_visitor visit) {
  struct copier copier = begin(evacuator);
  evacuator->cards_read.all +=
      spgc_fields_visit_stored(evacuator->heap, fields, count, after(evacuator), visit, &copier);
  close_copier(&copier);
}

void spgc_evacuator_scan_stores(struct spgc_evacuator *evacuator, const struct spgc_slot *fields,
                                uint32_t count) {
  scan_stores(evacuator, fields, count, forward_condemned_scanning);
}

void spgc_evacuator_share_stores(struct spgc_evacuator *evacuator, const struct spgc_slot *fields,
                                 uint32_t count) {
  scan_stores(evacuator, fields, count, forward_condemned_parallel);
}

/* ---- Recorded slots ---- */

SPGC_INLINE void scan_recorded(struct spgc_evacuator *evacuator,
                               const struct spgc_recorded_chunk *chunk, spgc_slot_visitor visit) {
  struct copier copier = begin(evacuator);
  for (uint64_t i = 0; i < chunk->count; i++)
    if (!is_condemned(&copier, (uintptr_t)chunk->slots[i].location))
      visit(&copier, chunk->slots[i]);
  close_copier(&copier);
}

void spgc_evacuator_scan_recorded(struct spgc_evacuator *evacuator,
                                  const struct spgc_recorded_chunk *chunk) {
  scan_recorded(evacuator, chunk, slot_visitor(SPGC_TRACE_SERIAL));
}

void spgc_evacuator_share_recorded(struct spgc_evacuator *evacuator,
                                   const struct spgc_recorded_chunk *chunk) {
  scan_recorded(evacuator, chunk, slot_visitor(SPGC_TRACE_PARALLEL));
}

/* ---- Whole blocks ---- */

/* Scans the objects of a block, or its part of a large object. */
SPGC_INLINE void scan_block(struct copier *copier, uint32_t index, enum spgc_trace_mode mode) {
  const struct spgc_heap *heap = copier->evacuator->heap;
  uintptr_t from = spgc_heap_block_start(heap, index), to = from + SPGC_BLOCK_BYTES;
  if (spgc_space_is_old_small(spgc_heap_space(heap, index))) {
    scan_objects(copier, from, to, mode);
    return;
  }
  struct spgc_ref object = spgc_heap_first_object(heap, spgc_large_first(heap, index));
  struct spgc_window window = {from, to, slot_visitor(mode), copier};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

SPGC_INLINE void scan_blocks(struct spgc_evacuator *evacuator, struct spgc_unit blocks,
                             enum spgc_trace_mode mode) {
  const struct spgc_heap *heap = evacuator->heap;
  struct copier copier = begin(evacuator);
  for (uint32_t i = blocks.first; i < blocks.end; i++)
    if (spgc_block_is_old(heap, i) && !heap->blocks[i].is_fresh)
      scan_block(&copier, i, mode);
  close_copier(&copier);
}

void spgc_evacuator_scan_objects(struct spgc_evacuator *evacuator, struct spgc_unit blocks) {
  scan_blocks(evacuator, blocks, SPGC_TRACE_SCANNING);
}

void spgc_evacuator_share_objects(struct spgc_evacuator *evacuator, struct spgc_unit blocks) {
  scan_blocks(evacuator, blocks, SPGC_TRACE_PARALLEL);
}

/* Scans the copies in a block, and its other objects. During a marking, copies are marked, and an
 * unmarked object must not keep others alive. */
static void scan_copies(struct copier *copier, uintptr_t start) {
  struct spgc_ref object = {start};
  while (object.word < start + SPGC_BLOCK_BYTES)
    if (copier->scanner == NULL || spgc_mark_bit_is_set(copier->evacuator->heap, object))
      object = scan_object(copier, object, SPGC_TRACE_SCANNING);
    else
      object = spgc_object_next(object);
}

void spgc_evacuator_scan_waiting(struct spgc_evacuator *evacuator) {
  struct spgc_heap *heap = evacuator->heap;
  struct copier copier = begin(evacuator);
  for (uint32_t i = heap->low_water; i < heap->high_water; i++) {
    if (!heap->blocks[i].copies_wait)
      continue;
    heap->blocks[i].copies_wait = false;
    uintptr_t start = spgc_heap_block_start(heap, i);
    if (spgc_space_is_old_small(spgc_heap_space(heap, i)))
      scan_copies(&copier, start);
    else
      scan_object(&copier, (struct spgc_ref){start}, SPGC_TRACE_SCANNING);
  }
  close_copier(&copier);
}
