#include "heap/evacuator.h"

#include "heap/card.h"

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
  if (evacuator->marker != NULL)
    spgc_mark_large_survivor(evacuator->marker, index);
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
