#include "gc/trace/evacuator.h"

#include "heap/card.h"

static struct spgc_plab *choose_plab(struct spgc_evacuator *evacuator, size_t bytes) {
  struct spgc_plab *plabs = evacuator->worker->plabs;
  if (evacuator->shuffle != NULL)
    return &plabs[spgc_random_next(evacuator->shuffle) % SPGC_PLABS];
  return &plabs[bytes > SPGC_LARGEST_IN_HOLE];
}

static void push_copy(struct spgc_evacuator *evacuator, uintptr_t copy, size_t bytes) {
  if (spgc_worklist_has_space(&evacuator->worker->stack, 1))
    spgc_worklist_push(&evacuator->worker->stack,
                       spgc_entry_of_copies(evacuator->heap, copy, copy + bytes));
  else
    spgc_evacuator_overflow(evacuator, copy);
}

uintptr_t spgc_evacuator_move(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t header,
                              enum spgc_trace_mode mode) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(spgc_ref_from_word(from), type);
  struct spgc_plab *plab = choose_plab(evacuator, bytes);
  if (bytes > plab->limit - plab->cursor)
    spgc_plab_refill(evacuator->heap, plab, bytes,
                     evacuator->shuffle != NULL || bytes > SPGC_LARGEST_IN_HOLE);
  uintptr_t to = plab->cursor;
  spgc_evacuator_copy(to, from, header, bytes);
  uintptr_t claimed = spgc_evacuator_claim(from, header, to, mode);
  if (claimed == to) {
    plab->cursor += bytes;
    evacuator->moved_objects++;
    spgc_evacuator_count_survivor(evacuator, spgc_heap_block_of(evacuator->heap, from), bytes);
    if (evacuator->scanner != NULL)
      spgc_mark_survivor(evacuator->scanner, spgc_ref_from_word(to), bytes, mode);
    if (evacuator->hook != NULL)
      evacuator->hook->reached(evacuator->hook->context, spgc_ref_from_word(from));
    if (spgc_type_has_references(type))
      push_copy(evacuator, to, bytes);
  }
  spgc_plab_fill(plab);
  return claimed;
}

void spgc_evacuator_overflow(struct spgc_evacuator *evacuator, uintptr_t object) {
  evacuator->heap->blocks[spgc_heap_block_of(evacuator->heap, object)].copies_wait = true;
  evacuator->overflowed = true;
}

/* Pushes the parts of a large object one by one, so that any worker can scan them. Its cards become
 * clean because nothing is young any more. */
static void push_parts(struct spgc_evacuator *evacuator, uint32_t index) {
  struct spgc_heap *heap = evacuator->heap;
  struct spgc_worklist *stack = &evacuator->worker->stack;
  spgc_cards_clean_large(heap, index);
  if (!spgc_type_has_references(spgc_object_type(spgc_heap_first_object(heap, index))))
    return;
  uint32_t parts = heap->blocks[index].run;
  if (!spgc_worklist_has_space(stack, parts)) {
    spgc_evacuator_overflow(evacuator, spgc_heap_block_start(heap, index));
    return;
  }
  while (parts-- != 0)
    spgc_worklist_push(stack, (uintptr_t)index << 32 | (uintptr_t)parts << SPGC_ENTRY_BITS |
                                  SPGC_ENTRY_PART);
}

/* Called under the lock. False when another worker has relabelled it. */
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
  spgc_evacuator_count_survivor(evacuator, index, heap->blocks[index].large_bytes);
  if (evacuator->hook != NULL)
    evacuator->hook->reached(evacuator->hook->context, spgc_heap_first_object(heap, index));
  push_parts(evacuator, index);
}
