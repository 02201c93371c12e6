#include "gc/trace/speculation.h"

#include "heap/card_scan.h"
#include "support/clock.h"

enum {
  SCANNED_BLOCKS = 32, /* whose cards are scanned between two looks at the clock */
  CHECK_PERIOD = 4,    /* entries scanned between two looks at the clock */
  MOST_PER_ENTRY =
      SPGC_BLOCK_BYTES / SPGC_WORD_BYTES + SPGC_PREFETCH_QUEUE_SLOTS, /* objects copied */
};

bool spgc_speculation_begin(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  if (!spgc_worklist_provide(&heap->undo_log) || !spgc_worklist_has_full_capacity(&heap->undo_log))
    return false;
  evacuator->undo_entry = heap->undo_log.entries;
  evacuator->scanner = NULL;
  return true;
}

void spgc_speculation_reach(struct spgc_evacuation *evacuation, struct spgc_ref object) {
  const struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  if (!spgc_heap_contains(heap, object.word) ||
      spgc_heap_space(heap, spgc_heap_block_of(heap, object.word)) != SPGC_SPACE_CONDEMNED)
    return;
  if (spgc_worklist_has_space(&evacuator->worker->stack, 1))
    spgc_worklist_push(&evacuator->worker->stack, object.word | SPGC_ENTRY_OBJECT);
  else
    evacuator->overflowed = true;
}

static void reach_slot(void *context, struct spgc_slot slot) {
  spgc_speculation_reach(context, *slot.location);
}

static void reach_from(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_window window = {from, to, reach_slot, context};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

bool spgc_speculation_scan_cards(struct spgc_evacuation *evacuation, uint64_t deadline_ns) {
  struct spgc_heap *heap = evacuation->heap;
  const uint32_t end = heap->high_water;
  uint32_t first = heap->low_water;
  while ((first = spgc_dirty_blocks_next(heap, first, end)) < end) {
    uint32_t next = end - first < SCANNED_BLOCKS ? end : first + SCANNED_BLOCKS;
    if (spgc_clock_ns() > deadline_ns)
      return false;
    spgc_cards_visit_dirty(heap, first, next, SPGC_CARD_DIRTY, reach_from, evacuation,
                           &evacuation->workers[0].cards_read);
    first = next;
  }
  return true;
}

/* Whether the undo log has space for the next period. */
static bool has_space(const struct spgc_evacuation *evacuation) {
  const struct spgc_evacuator *evacuator = &evacuation->workers[0];
  size_t listed = (size_t)(evacuator->undo_entry - evacuation->heap->undo_log.entries);
  return SPGC_WORKLIST_ENTRIES - listed >= (size_t)CHECK_PERIOD * MOST_PER_ENTRY &&
         !evacuator->overflowed;
}

static void mark_copies(const struct spgc_evacuation *evacuation, const uintptr_t *end) {
  for (const uintptr_t *undo_entry = evacuation->heap->undo_log.entries; undo_entry != end;
       undo_entry++) {
    struct spgc_ref copy = spgc_copy_of(*undo_entry);
    size_t bytes = spgc_object_bytes(copy, spgc_object_type(copy));
    spgc_mark_survivor(evacuation->workers[0].scanner, copy, bytes, SPGC_TRACE_SERIAL);
  }
}

/* The copies are final. Large objects are reached from them now. A marking under way counts the
 * copies as marked and scanned. */
static void confirm_copies(struct spgc_evacuation *evacuation) {
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  const uintptr_t *end = evacuator->undo_entry;
  if (evacuation->marker != NULL) {
    evacuator->scanner = &evacuation->marker->scanners[0];
    mark_copies(evacuation, end);
  }
  if (evacuation->marker != NULL || evacuation->heap->condemned_large.count != 0)
    spgc_evacuator_visit_copies(evacuator, end);
}

bool spgc_speculation_copy(struct spgc_evacuation *evacuation, uint64_t deadline_ns) {
  do
    if (!has_space(evacuation) || spgc_clock_ns() > deadline_ns)
      return false;
  while (spgc_evacuation_speculate_some(evacuation, CHECK_PERIOD));
  if (evacuation->workers[0].overflowed)
    return false;
  confirm_copies(evacuation);
  evacuation->workers[0].cards_read = (struct spgc_cards_read){0}; /* they are scanned again */
  return true;
}

static void restore_headers(const struct spgc_evacuation *evacuation) {
  enum { AHEAD = 16 };
  const uintptr_t *undo_entry = evacuation->heap->undo_log.entries,
                  *last = evacuation->workers[0].undo_entry;
  for (; undo_entry != last; undo_entry++) {
    if (last - undo_entry > AHEAD)
      __builtin_prefetch((void *)undo_entry[AHEAD], 1);
    spgc_object_set_header(spgc_ref_from_word(*undo_entry),
                           spgc_object_header(spgc_copy_of(*undo_entry)));
  }
}

static void forget_waiting(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  evacuator->worker->stack.count = 0;
  if (!evacuator->overflowed)
    return;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    heap->blocks[i].copies_wait = false;
}

void spgc_speculation_roll_back(struct spgc_evacuation *evacuation) {
  restore_headers(evacuation);
  forget_waiting(evacuation);
  spgc_evacuation_roll_back(evacuation);
}
