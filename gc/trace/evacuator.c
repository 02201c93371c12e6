#include "gc/trace/evacuator.h"

#include "heap/card.h"

static struct spgc_lane *choose_lane(struct spgc_evacuator *evacuator, size_t bytes) {
  struct spgc_lane *lanes = evacuator->worker->lanes;
  if (evacuator->shuffle != NULL)
    return &lanes[spgc_random_next(evacuator->shuffle) % SPGC_LANES];
  return &lanes[bytes > SPGC_LARGEST_IN_ROOM];
}

static void push_copy(struct spgc_evacuator *evacuator, uintptr_t copy, size_t bytes) {
  if (spgc_work_stack_has_room(&evacuator->worker->stack, 1))
    spgc_work_stack_push(&evacuator->worker->stack, spgc_entry_of_copies(evacuator->heap, copy, copy + bytes));
  else
    spgc_evacuator_overflow(evacuator, copy);
}

uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                              enum spgc_company company) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(from, type);
  struct spgc_lane *lane = choose_lane(evacuator, bytes);
  if (bytes > lane->limit - lane->cursor)
    spgc_lane_refill(evacuator->heap, lane, bytes, evacuator->shuffle != NULL || bytes > SPGC_LARGEST_IN_ROOM);
  uintptr_t to = lane->cursor;
  spgc_evacuator_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_evacuator_claim(from, header, to, company);
  if (claimed == to) {
    lane->cursor += bytes;
    evacuator->moved_objects++;
    if (evacuator->scanner != NULL)
      spgc_mark_survivor(evacuator->scanner, to, bytes, company);
    if (evacuator->watch != NULL)
      evacuator->watch->reached(evacuator->watch->context, spgc_ref_from_word(from));
    if (spgc_type_has_references(type))
      push_copy(evacuator, to, bytes);
  }
  spgc_lane_fill(lane);
  return claimed;
}

void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object) {
  evacuator->heap->blocks[spgc_heap_block_of(evacuator->heap, object)].copies_wait = true;
  evacuator->overflowed = true;
}

/* Its parts are scanned one by one, by whom it may be. Nothing is young any more, so its cards are clean. */
static void push_parts(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  struct spgc_work_stack *stack = &evacuator->worker->stack;
  spgc_cards_clean_large(heap, index);
  if (!spgc_type_has_references(spgc_object_type(spgc_heap_block_start(heap, index))))
    return;
  uint32_t parts = heap->blocks[index].run;
  if (!spgc_work_stack_has_room(stack, parts)) {
    spgc_evacuator_overflow(evacuator, spgc_heap_block_start(heap, index));
    return;
  }
  while (parts-- != 0)
    spgc_work_stack_push(stack, (uintptr_t)index << 32 | (uintptr_t)parts << SPGC_ENTRY_BITS | SPGC_ENTRY_PART);
}

/* Under the lock. False when another worker came first. */
static bool relabel(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  if (spgc_heap_space(heap, index) != SPGC_SPACE_CONDEMNED_LARGE)
    return false;
  spgc_block_list_remove(&heap->condemned_large, heap->blocks, index);
  spgc_block_list_append(&heap->old_large, heap->blocks, index);
  heap->old_large_bytes += heap->blocks[index].large_bytes;
  if (evacuator->scanner != NULL)
    spgc_mark_large_survivor(evacuator->scanner, index);
  spgc_heap_set_space(heap, index, SPGC_SPACE_OLD_LARGE);
  return true;
}

void spgc_evacuator_relabel(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  pthread_mutex_lock(&heap->lock);
  bool relabelled = relabel(evacuator, index);
  pthread_mutex_unlock(&heap->lock);
  if (!relabelled)
    return;
  evacuator->relabelled_bytes += heap->blocks[index].large_bytes;
  if (evacuator->watch != NULL)
    evacuator->watch->reached(evacuator->watch->context, spgc_ref_from_word(spgc_heap_block_start(heap, index)));
  push_parts(evacuator, index);
}
