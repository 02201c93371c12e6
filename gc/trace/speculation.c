#include "gc/trace/speculation.h"

#include "heap/card.h"
#include "gc/trace/copier.h"
#include "support/clock.h"

enum {
  CHECK_PERIOD = 4, /* entries scanned between two looks at the clock */
  MOST_PER_ENTRY = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES + SPGC_SOON_SLOTS, /* objects copied */
};

bool spgc_attempt_begin(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  if (!spgc_work_stack_provide(&heap->originals) || !spgc_work_stack_is_usual(&heap->originals))
    return false;
  evacuator->original = heap->originals.entries;
  evacuator->scanner = NULL;
  return true;
}

void spgc_attempt_reach(struct spgc_evacuation *evacuation, uintptr_t word) {
  const struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  if (!spgc_heap_contains(heap, word) || spgc_heap_space(heap, spgc_heap_block_of(heap, word)) != SPGC_SPACE_CONDEMNED)
    return;
  if (spgc_work_stack_has_room(&evacuator->worker->stack, 1))
    spgc_work_stack_push(&evacuator->worker->stack, word | SPGC_ENTRY_OBJECT);
  else
    evacuator->overflowed = true;
}

static void reach_slot(void *context, struct spgc_slot slot) {
  spgc_attempt_reach(context, slot.location->word);
}

static void reach_from(void *context, uintptr_t object, uintptr_t from, uintptr_t to) {
  struct spgc_window window = {from, to, reach_slot, context};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

void spgc_attempt_read_cards(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  spgc_cards_visit_dirty(heap, heap->low_water, heap->high_water, SPGC_CARD_DIRTY, reach_from, evacuation,
                         &evacuation->workers[0].cards_read);
}

/* Whether the next period fits the list. */
static bool has_room(const struct spgc_evacuation *evacuation) {
  const struct spgc_evacuator *evacuator = &evacuation->workers[0];
  size_t listed = (size_t)(evacuator->original - evacuation->heap->originals.entries);
  return SPGC_WORK_STACK_ENTRIES - listed >= (size_t)CHECK_PERIOD * MOST_PER_ENTRY && !evacuator->overflowed;
}

static void mark_copies(const struct spgc_evacuation *evacuation, const uintptr_t *end) {
  for (const uintptr_t *original = evacuation->heap->originals.entries; original != end; original++) {
    uintptr_t copy = spgc_object_header(*original);
    size_t bytes = spgc_object_bytes(copy, spgc_object_type(copy));
    spgc_mark_survivor(evacuation->workers[0].scanner, copy, bytes, SPGC_ALONE);
  }
}

/* What they refer to has moved, is large, or old and perhaps to be marked. */
static void visit_copies(struct spgc_evacuation *evacuation, const uintptr_t *end) {
  struct spgc_copier copier = spgc_copier_begin(&evacuation->workers[0]);
  for (const uintptr_t *original = evacuation->heap->originals.entries; original != end; original++) {
    uintptr_t copy = spgc_object_header(*original);
    spgc_object_visit(copy, spgc_object_type(copy), spgc_forward_soon_alone, &copier);
  }
  spgc_copier_store(&copier);
}

/* The survivors are final: large objects are reached from them now, and the marking that goes on takes them for
 * scanned, as if they had been born marked. */
static void confirm_copies(struct spgc_evacuation *evacuation) {
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  const uintptr_t *end = evacuator->original;
  if (evacuation->marker != NULL) {
    evacuator->scanner = &evacuation->marker->scanners[0];
    mark_copies(evacuation, end);
  }
  if (evacuation->marker != NULL || evacuation->heap->condemned_large.count != 0)
    visit_copies(evacuation, end);
}

bool spgc_attempt_copy(struct spgc_evacuation *evacuation, uint64_t deadline_ns) {
  do
    if (!has_room(evacuation) || spgc_clock_ns() > deadline_ns)
      return false;
  while (spgc_evacuation_attempt_some(evacuation, CHECK_PERIOD));
  if (evacuation->workers[0].overflowed)
    return false;
  confirm_copies(evacuation);
  evacuation->workers[0].cards_read = (struct spgc_cards_read){0}; /* they are read again */
  return true;
}

static void restore_headers(const struct spgc_evacuation *evacuation) {
  enum { AHEAD = 16 };
  const uintptr_t *original = evacuation->heap->originals.entries, *last = evacuation->workers[0].original;
  for (; original != last; original++) {
    if (last - original > AHEAD)
      __builtin_prefetch((void *)original[AHEAD], 1);
    spgc_object_set_header(*original, spgc_object_header(spgc_object_header(*original)));
  }
}

static void forget_waiting(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[0];
  evacuator->worker->stack.count = 0;
  if (!evacuator->overflowed)
    return;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->blocks[i].copies_wait = false;
}

void spgc_attempt_give_up(struct spgc_evacuation *evacuation) {
  restore_headers(evacuation);
  forget_waiting(evacuation);
  spgc_evacuation_withdraw(evacuation);
}
