#include "gc/trace/mark_cards.h"

#include "gc/trace/card_scan.h"

SPGC_INLINE void visit_part(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from,
                            uintptr_t to, spgc_slot_visitor visit) {
  struct spgc_window window = {from, to, visit, scanner};
  spgc_object_visit_within(object, spgc_object_type(object), &window);
}

SPGC_INLINE void fetch_mark(void *context, struct spgc_slot slot) {
  const struct spgc_scanner *scanner = context;
  uintptr_t word = __atomic_load_n(&slot.location->word, __ATOMIC_RELAXED);
  if (spgc_heap_contains(scanner->heap, word))
    __builtin_prefetch(
        spgc_mark_bits_of(scanner->heap, (word - scanner->heap->base) / SPGC_WORD_BYTES), 1);
}

static __attribute__((noinline)) void
fetch_marks_of(struct spgc_scanner *scanner, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  visit_part(scanner, object, from, to, fetch_mark);
}

static __attribute__((noinline)) void mark_children_of(struct spgc_scanner *scanner,
                                                       struct spgc_ref object, uintptr_t from,
                                                       uintptr_t to) {
  visit_part(scanner, object, from, to, spgc_mark_slot);
}

/* The test is inlined, because many objects on a card are not marked. */
SPGC_INLINE void fetch_marks_from(void *context, struct spgc_ref object, uintptr_t from,
                                  uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    fetch_marks_of(scanner, object, from, to);
}

SPGC_INLINE void mark_from(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct spgc_scanner *scanner = context;
  if (spgc_mark_bit_is_set(scanner->heap, object))
    mark_children_of(scanner, object, from, to);
}

/* False when a mutator has dirtied the card meanwhile; the next collection scans it then. */
static bool clean(uint8_t *card) {
  uint8_t deferred = SPGC_CARD_DEFERRED;
  return __atomic_compare_exchange_n(card, &deferred, SPGC_CARD_CLEAN, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

/* Cards that are scanned together: of a block of small objects, or of a large object. */
struct cards {
  struct spgc_heap *heap;
  struct spgc_ref large; /* the object, or null */
  size_t batch[SPGC_CARD_BATCH];
  uint32_t count;
};

SPGC_INLINE void visit_cards(const struct cards *cards, spgc_dirty_visitor visit,
                             struct spgc_scanner *scanner) {
  for (uint32_t i = 0; i < cards->count; i++) {
    uintptr_t from = spgc_card_start(cards->heap, cards->batch[i]);
    if (!spgc_ref_is_null(cards->large))
      visit(scanner, cards->large, from, from + SPGC_CARD_BYTES);
    else
      spgc_cards_visit_small(cards->heap, cards->batch[i], visit, scanner);
  }
}

/* Finds the next deferred cards in [*card, end) of the table, prefetches them and the mark bits of
 * the objects on them, and moves *card on. */
static void find_some(struct cards *cards, size_t *card, size_t end) {
  const struct spgc_heap *heap = cards->heap;
  cards->count = 0;
  while (cards->count < SPGC_CARD_BATCH &&
         (*card = spgc_cards_next(heap, *card, end, SPGC_CARD_DEFERRED)) < end) {
    spgc_card_fetch(heap, *card);
    __builtin_prefetch(spgc_mark_bits_of(heap, *card * (SPGC_CARD_BYTES / SPGC_WORD_BYTES)));
    cards->batch[cards->count++] = (*card)++;
  }
}

/* Cleans the cards. Keeps those whose objects are to be scanned. */
static void clean_some(struct cards *cards, bool marks) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < cards->count; i++)
    if (clean(&cards->heap->cards[cards->batch[i]]) && marks)
      cards->batch[left++] = cards->batch[i];
  cards->count = left;
}

/* Scans the deferred cards of one block. `large` is the large object that the block is part of, or
 * null. The children lie anywhere, so their mark bits are prefetched for several cards at a time.
 */
static size_t read_block(struct spgc_marker *marker, uint32_t index, struct spgc_ref large) {
  struct cards cards = {.heap = marker->heap, .large = large};
  size_t bytes = SPGC_CARDS_PER_BLOCK, card = (size_t)index * SPGC_CARDS_PER_BLOCK,
         end = card + SPGC_CARDS_PER_BLOCK;
  for (;;) {
    find_some(&cards, &card, end);
    if (cards.count == 0)
      return bytes;
    bytes += (size_t)cards.count * SPGC_CARD_BYTES;
    clean_some(&cards, marker->marks_from_cards);
    visit_cards(&cards, fetch_marks_from, &marker->scanners[0]);
    visit_cards(&cards, mark_from, &marker->scanners[0]);
  }
}

static size_t read_part(struct spgc_marker *marker) {
  const struct spgc_heap *heap = marker->heap;
  uint32_t large = marker->next_large, part = marker->next_part++;
  if (marker->next_part == heap->blocks[large].run) {
    marker->next_large = heap->blocks[large].next;
    marker->next_part = 0;
  }
  return read_block(marker, large + part, spgc_heap_first_object(heap, large));
}

size_t spgc_marker_read_cards(struct spgc_marker *marker) {
  uint32_t index = marker->next_block;
  if (index == SPGC_BLOCK_NONE)
    return read_part(marker);
  marker->next_block = marker->heap->blocks[index].next;
  return read_block(marker, index, spgc_ref_null());
}
