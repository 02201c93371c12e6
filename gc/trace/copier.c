#include "gc/trace/copier.h"
#include "heap/remembered/new_large.h"

void spgc_evacuator_scan_weak(struct spgc_evacuator *evacuator, struct spgc_ref array,
                              const struct spgc_type *type, uintptr_t from, uintptr_t to,
                              enum spgc_trace_mode mode) {
  struct copier copier = begin(evacuator);
  struct spgc_window window = {from, to, record_weak_in(mode), &copier};
  spgc_object_visit_within(array, type, &window);
  close_copier(&copier);
}

void spgc_evacuator_push_copies(struct spgc_evacuator *evacuator, uintptr_t from, uintptr_t to) {
  if (spgc_worklist_has_space(&evacuator->worker->stack, 1))
    spgc_worklist_push(&evacuator->worker->stack, entry_of_copies(evacuator->heap->base, from, to));
  else
    spgc_evacuator_overflow(evacuator, from);
}

/* Block `part` of the large object that begins in block `index`. */
SPGC_INLINE void visit_part(const struct spgc_heap *heap, uint32_t index, uint32_t part,
                            spgc_slot_visitor visit, struct copier *copier) {
  struct spgc_ref object = spgc_heap_first_object(heap, index);
  uintptr_t from = spgc_heap_block_start(heap, part);
  struct spgc_window window = {from, from + SPGC_BLOCK_BYTES, visit, copier};
  if (spgc_new_large_is_noted(heap, index))
    spgc_new_large_visit(heap, part, object, visit, copier);
  else
    spgc_object_visit_within(object, spgc_object_type(object), &window);
}

SPGC_INLINE void scan_part(struct copier *copier, uintptr_t entry, enum spgc_trace_mode mode) {
  const struct spgc_heap *heap = copier->evacuator->heap;
  uint32_t index = (uint32_t)(entry >> 32);
  uint32_t part = index + (uint32_t)((entry & UINT32_MAX) >> SPGC_ENTRY_BITS);
  struct spgc_ref object = spgc_heap_first_object(heap, index);
  if (spgc_type_is_weak(spgc_object_type(object)))
    visit_part(heap, index, part, record_weak_in(mode), copier);
  else
    visit_part(heap, index, part, forward_queued_in(mode), copier);
}

/* Not inlined, because it is rare. */
static __attribute__((noinline)) void scan_part_apart(struct spgc_evacuator *evacuator,
                                                      uintptr_t entry, bool in_parallel) {
  struct copier copier = begin(evacuator);
  if (in_parallel)
    scan_part(&copier, entry, SPGC_TRACE_PARALLEL);
  else
    scan_part(&copier, entry, SPGC_TRACE_SERIAL);
  close_copier(&copier);
}

SPGC_INLINE bool has_work(const struct copier *copier) {
  return copier->scan != copier->cursor || copier->top != copier->entries;
}

/* The chunk's rest first. */
SPGC_INLINE void scan_newest(struct copier *copier, enum spgc_trace_mode mode) {
  uintptr_t from = copier->scan, to = copier->cursor;
  if (from == to) {
    uintptr_t entry = *--copier->top;
    if (__builtin_expect((entry & SPGC_ENTRY_MASK) != SPGC_ENTRY_COPIES, 0)) {
      close_copier(copier);
      scan_part_apart(copier->evacuator, entry, mode == SPGC_TRACE_PARALLEL);
      open_copier(copier);
      return;
    }
    size_t words = (entry & ((1 << SPGC_ENTRY_WORD_SHIFT) - 1)) >> SPGC_ENTRY_BITS;
    from = copier->base + (entry >> SPGC_ENTRY_WORD_SHIFT) * SPGC_WORD_BYTES;
    to = from + words * SPGC_WORD_BYTES;
  } else {
    copier->scan = to;
  }
  for (struct spgc_ref object = {from}; object.word < to;)
    object = scan_object(copier, object, mode);
}

void spgc_evacuator_scan_some(struct spgc_evacuator *evacuator, uint32_t entries) {
  struct copier copier = begin(evacuator);
  for (uint32_t i = 0; i < entries && has_work(&copier); i++)
    scan_newest(&copier, SPGC_TRACE_SERIAL);
  if (!has_work(&copier))
    drain_prefetch_queue(&copier, SPGC_TRACE_SERIAL);
  close_copier(&copier);
}

void spgc_evacuator_scan_own(struct spgc_evacuator *evacuator,
                             struct spgc_shared_worklist *shared) {
  struct copier copier = begin(evacuator);
  do {
    while (has_work(&copier)) {
      scan_newest(&copier, SPGC_TRACE_PARALLEL);
      if (__builtin_expect(
              spgc_shared_worklist_is_wanted(shared, (uint32_t)(copier.top - copier.entries)), 0)) {
        close_copier(&copier);
        spgc_shared_worklist_give(shared, &evacuator->worker->stack);
        open_copier(&copier);
      }
    }
    drain_prefetch_queue(&copier, SPGC_TRACE_PARALLEL);
  } while (has_work(&copier));
  close_copier(&copier);
}

void spgc_evacuator_scan_waiting(struct spgc_evacuator *evacuator) {
  struct spgc_heap *heap = evacuator->heap;
  struct copier copier = begin(evacuator);
  for (uint32_t i = heap->low_water; i < heap->high_water; i++) {
    if (!heap->blocks[i].copies_wait)
      continue;
    heap->blocks[i].copies_wait = false;
    bool is_small = spgc_space_is_old_small(spgc_heap_space(heap, i));
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    uintptr_t end = object.word + (is_small ? SPGC_BLOCK_BYTES : 1);
    /* During a marking copies are marked, and unmarked objects must not keep others alive. */
    while (object.word < end)
      if (!is_small || copier.scanner == NULL || spgc_mark_bit_is_set(heap, object))
        object = scan_object(&copier, object, SPGC_TRACE_SCANNING);
      else
        object = spgc_object_next(object);
  }
  close_copier(&copier);
}

/* Most roots refer to old objects, and need none of the loop's state. */
void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  const struct spgc_heap *heap = evacuation->heap;
  uintptr_t word = slot.location->word;
  if (!spgc_heap_contains(heap, word) ||
      (scanner_of_others(&evacuation->workers[0]) == NULL &&
       !spgc_space_is_condemned(spgc_heap_space(heap, spgc_heap_block_of(heap, word)))))
    return;
  struct copier copier = begin(&evacuation->workers[0]);
  uintptr_t object = find_condemned(&copier, slot, SPGC_TRACE_SERIAL);
  if (object != 0)
    write_slot(slot, forwarded(&copier, object, SPGC_TRACE_SERIAL));
  close_copier(&copier);
}
