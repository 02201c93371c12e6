/* Evacuation: finds the slots of old objects that refer to condemned ones. */
#include "gc/trace/card_scan.h"
#include "gc/trace/copier.h"
#include "gc/trace/evacuate.h"
#include "gc/trace/parallel_scan.h"

/* Forwards a slot of an unmarked object, which must not keep old objects alive. */
SPGC_INLINE void forward_condemned_queued(void *context, struct spgc_slot slot) {
  struct spgc_copier *copier = context;
  uintptr_t word = spgc_copier_read(slot);
  if (spgc_words_between(copier->base, word) < copier->words &&
      spgc_is_condemned(copier->evacuator->heap, word))
    spgc_copier_forward_queued(copier, slot, SPGC_TRACE_SCANNING);
}

/* Whether the scan of a card marks the old children of an object. An unmarked object needs no such
 * scan, because it is scanned when it gets marked. A card that stays deferred is scanned again. */
SPGC_INLINE bool marks_others(const struct spgc_heap *heap, const struct spgc_scanner *scanner,
                              struct spgc_ref object) {
  return scanner != NULL && heap->card_once_read == SPGC_CARD_CLEAN &&
         spgc_mark_bit_is_set(heap, object);
}

SPGC_INLINE void forward_object(void *context, struct spgc_ref object, uintptr_t from,
                                uintptr_t to) {
  struct spgc_copier *copier = context;
  const struct spgc_type *type = spgc_object_type(object);
  if (marks_others(copier->evacuator->heap, copier->scanner, object)) {
    struct spgc_window window = {from, to, spgc_forward_queued_scanning, copier};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to, forward_condemned_queued, copier};
    spgc_object_visit_within(object, type, &window);
  }
}

static void scan_cards_serial(struct spgc_evacuator *evacuator) {
  struct spgc_heap *heap = evacuator->heap;
  struct spgc_copier copier = spgc_copier_begin(evacuator);
  spgc_cards_visit_dirty(heap, heap->low_water, heap->high_water, heap->card_once_read,
                         forward_object, &copier, &evacuator->cards_read);
  spgc_copier_store(&copier);
}

/* Pushes a slot of a marked object, or marks the old object it refers to. */
SPGC_INLINE void push_condemned_mark_others(void *context, struct spgc_slot slot) {
  struct spgc_evacuator *evacuator = context;
  uintptr_t word = spgc_copier_read(slot);
  if (!spgc_heap_contains(evacuator->heap, word))
    return;
  if (spgc_is_condemned(evacuator->heap, word))
    spgc_worklist_push(&evacuator->worker->stack, (uintptr_t)slot.location | SPGC_ENTRY_SLOT);
  else
    spgc_mark(evacuator->scanner, spgc_ref_from_word(word), SPGC_TRACE_PARALLEL);
}

SPGC_INLINE void push_object(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_evacuator *evacuator = context;
  const struct spgc_type *type = spgc_object_type(object);
  if (marks_others(evacuator->heap, evacuator->scanner, object)) {
    struct spgc_window window = {from, to, push_condemned_mark_others, evacuator};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to, spgc_push_condemned, evacuator};
    spgc_object_visit_within(object, type, &window);
  }
}

static struct spgc_scan_progress progress_over_cards(const struct spgc_heap *heap) {
  return (struct spgc_scan_progress){.first = heap->low_water,
                                     .end = heap->high_water,
                                     .next = SPGC_BLOCK_NONE,
                                     .next_large = SPGC_BLOCK_NONE};
}

/* No block is taken or freed while cards are scanned. */
static void scan_cards_as_worker(void *context, uint32_t worker) {
  struct spgc_evacuation *evacuation = context;
  struct spgc_heap *heap = evacuation->heap;
  struct spgc_evacuator *evacuator = &evacuation->workers[worker];
  struct spgc_scan_progress *progress = &evacuation->progress;
  while (spgc_parallel_scan_may_read(evacuator)) {
    uint32_t first = __atomic_fetch_add(&progress->first, SPGC_SCAN_UNIT_BLOCKS, __ATOMIC_RELAXED);
    if (first >= progress->end)
      return;
    uint32_t end = first + spgc_at_most(SPGC_SCAN_UNIT_BLOCKS, progress->end - first);
    spgc_cards_visit_dirty(heap, first, end, heap->card_once_read, push_object, evacuator,
                           &evacuator->cards_read);
  }
}

static size_t count_dirty_cards(const struct spgc_evacuation *evacuation) {
  size_t count = 0;
  for (uint32_t worker = 0; worker <= evacuation->parallelism.extra_workers; worker++)
    count += evacuation->workers[worker].cards_read.all;
  return count;
}

void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation) {
  enum { LEAST_CARDS = 2048, LEAST_BLOCKS = 8192 };
  struct spgc_heap *heap = evacuation->heap;
  if (spgc_parallel_scan_is_worth_it(evacuation,
                                     heap->dirty_cards >= LEAST_CARDS ? 0 : LEAST_BLOCKS))
    spgc_parallel_scan(evacuation, progress_over_cards(heap), scan_cards_as_worker);
  else
    scan_cards_serial(&evacuation->workers[0]);
  heap->dirty_cards = count_dirty_cards(evacuation);
}
