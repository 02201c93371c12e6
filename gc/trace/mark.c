#include "gc/trace/mark.h"

#include "gc/trace/mark_cards.h"
#include "gc/trace/mark_entry.h"
#include "heap/card.h"
#include "support/fatal.h"

bool spgc_marker_create(struct spgc_marker *marker, struct spgc_heap *heap) {
  *marker = (struct spgc_marker){
      .heap = heap, .next_block = SPGC_BLOCK_NONE, .next_large = SPGC_BLOCK_NONE};
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    marker->scanners[i].heap = heap;
  return spgc_worklist_provide(&marker->scanners[0].stack);
}

void spgc_marker_destroy(struct spgc_marker *marker) {
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    spgc_worklist_destroy(&marker->scanners[i].stack);
}

static void forget_marks_of(struct spgc_heap *heap, uint32_t index) {
  spgc_mark_bits_clear(heap, index);
  heap->blocks[index].live = 0;
  heap->blocks[index].marks_wait = false;
}

static void forget_marks_on(struct spgc_heap *heap, const struct spgc_block_list *list,
                            bool are_counted) {
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    if (!are_counted || heap->blocks[i].live != 0)
      forget_marks_of(heap, i);
}

/* Clears all mark bits. With `are_counted`, no marking is under way and every block's `live` is
 * final, so blocks whose bits were never written are skipped. In a heap of a gigabyte, the page
 * faults for those would take a tenth of a second. */
static void forget_marks(struct spgc_heap *heap, bool are_counted) {
  forget_marks_on(heap, &heap->old, are_counted);
  forget_marks_on(heap, &heap->old_large, are_counted);
}

static void keep_marks(struct spgc_heap *heap, bool keep) {
  heap->keeps_marks = keep;
  heap->card_once_read = keep ? SPGC_CARD_DEFERRED : SPGC_CARD_CLEAN;
}

static void begin_scanning_cards(struct spgc_marker *marker, bool marks) {
  marker->marks_from_cards = marks;
  marker->next_block = marker->heap->old.first;
  marker->next_large = marker->heap->old_large.first;
  marker->next_part = 0;
}

size_t spgc_marker_defer_cards(struct spgc_marker *marker) {
  begin_scanning_cards(marker, true);
  return spgc_cards_retire_all(marker->heap, SPGC_CARD_DEFERRED);
}

void spgc_marker_set_cards_deferred(struct spgc_marker *marker, bool leave) {
  spgc_require(marker->active, "cards are deferred without a marking");
  if (leave)
    begin_scanning_cards(marker, true);
  marker->heap->card_once_read = leave ? SPGC_CARD_DEFERRED : SPGC_CARD_CLEAN;
}

void spgc_marker_begin(struct spgc_marker *marker, bool partial) {
  struct spgc_heap *heap = marker->heap;
  spgc_require(!marker->active && spgc_marker_is_idle(marker),
               "a marking begins before the last one ended");
  spgc_require(!partial || heap->keeps_marks, "a partial marking begins without marks");
  if (!partial) {
    forget_marks(heap, true);
    for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
      marker->scanners[i].marked_bytes = 0;
  }
  begin_scanning_cards(marker, partial);
  heap->card_once_read =
      SPGC_CARD_CLEAN; /* a scan of a card marks the children of marked objects */
  marker->partial = partial;
  marker->active = true;
}

void spgc_marker_engage(struct spgc_marker *marker, const struct spgc_parallelism *parallelism) {
  uint32_t extra_workers = 0;
  while (extra_workers < parallelism->extra_workers &&
         spgc_worklist_provide(&marker->scanners[extra_workers + 1].stack))
    extra_workers++;
  marker->parallelism =
      (struct spgc_parallelism){parallelism->pool, extra_workers, parallelism->at_once};
}

void spgc_marker_abandon(struct spgc_marker *marker) {
  struct spgc_scanner *scanner = &marker->scanners[0];
  forget_marks(marker->heap, false);
  keep_marks(marker->heap, false);
  marker->next_block = marker->next_large = SPGC_BLOCK_NONE;
  scanner->stack.count = 0;
  scanner->prefetch_count = 0;
  scanner->overflowed = marker->active = false;
}

void spgc_marker_end(struct spgc_marker *marker, bool keeps_marks) {
  spgc_require(marker->active && spgc_marker_is_idle(marker),
               "a marking ends while %u objects wait", marker->scanners[0].stack.count);
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    if (marker->scanners[i].stack.entries != NULL)
      spgc_worklist_trim(&marker->scanners[i].stack);
  keep_marks(marker->heap, keeps_marks);
  marker->active = false;
}

size_t spgc_marker_bytes(const struct spgc_marker *marker) {
  size_t bytes = 0;
  for (uint32_t i = 0; i < SPGC_MOST_WORKERS; i++)
    bytes += marker->scanners[i].marked_bytes;
  return bytes;
}

void spgc_marker_gather(struct spgc_marker *marker) {
  for (uint32_t i = 0; i <= marker->parallelism.extra_workers; i++)
    spgc_mark_flush_count(&marker->scanners[i]);
  for (uint32_t i = 1; i <= marker->parallelism.extra_workers; i++)
    spgc_mark_take_over(&marker->scanners[0], &marker->scanners[i]);
}
