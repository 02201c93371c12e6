/* The scan of deferred cards (gc/trace/mark.c). The thread that holds the cycle scans, while
 * mutators dirty cards, which stay dirty for the next collection. */
#ifndef SPGC_HEAP_REMEMBERED_DEFERRED_H
#define SPGC_HEAP_REMEMBERED_DEFERRED_H

#include "heap/mark_bits.h"
#include "heap/remembered/scan.h"

struct spgc_deferred_cards {
  struct spgc_heap *heap;
  struct spgc_ref large; /* or null */
  size_t group, end;     /* still to be searched */
  size_t first;
  uint64_t left; /* as bits */
  size_t batch[SPGC_PREFETCHED];
  uint32_t count;
  size_t searched_bytes;
};

/* False if a mutator dirtied it. */
static inline bool spgc_deferred_card_clean(uint8_t *card) {
  uint8_t deferred = SPGC_CARD_DEFERRED;
  return __atomic_compare_exchange_n(card, &deferred, SPGC_CARD_CLEAN, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

/* The group card is cleaned before its cards. */
static inline bool spgc_deferred_cards_enter_group(struct spgc_deferred_cards *cards) {
  const struct spgc_heap *heap = cards->heap;
  uint8_t state = SPGC_CARD_CLEAN;
  while (cards->group < cards->end && state == SPGC_CARD_CLEAN)
    state = __atomic_load_n(&heap->group_cards[cards->group++], __ATOMIC_RELAXED);
  if (state == SPGC_CARD_CLEAN)
    return false;
  if (state == SPGC_CARD_DEFERRED)
    spgc_deferred_card_clean(&heap->group_cards[cards->group - 1]);
  cards->first = (cards->group - 1) * SPGC_CARDS_PER_GROUP;
  cards->left = spgc_cards_of_group(heap, cards->group - 1, SPGC_CARD_DEFERRED);
  cards->searched_bytes += SPGC_CARDS_PER_GROUP;
  return true;
}

static inline void spgc_deferred_cards_find_some(struct spgc_deferred_cards *cards) {
  const struct spgc_heap *heap = cards->heap;
  cards->count = 0;
  while (cards->count < SPGC_PREFETCHED &&
         (cards->left != 0 || spgc_deferred_cards_enter_group(cards))) {
    if (cards->left == 0)
      continue;
    size_t card = cards->first + (size_t)__builtin_ctzll(cards->left);
    cards->left &= cards->left - 1;
    spgc_card_fetch(heap, card);
    __builtin_prefetch(spgc_mark_bits_of(heap, card * (SPGC_CARD_BYTES / SPGC_WORD_BYTES)));
    cards->batch[cards->count++] = card;
  }
}

static inline void spgc_deferred_cards_clean_some(struct spgc_deferred_cards *cards, bool visits) {
  uint32_t left = 0;
  for (uint32_t i = 0; i < cards->count; i++)
    if (spgc_deferred_card_clean(&cards->heap->cards[cards->batch[i]]) && visits)
      cards->batch[left++] = cards->batch[i];
  cards->count = left;
}

SPGC_INLINE void spgc_deferred_cards_visit(const struct spgc_deferred_cards *cards,
                                           spgc_dirty_visitor visit, void *context) {
  for (uint32_t i = 0; i < cards->count; i++) {
    uintptr_t from = spgc_card_start(cards->heap, cards->batch[i]);
    if (!spgc_ref_is_null(cards->large))
      visit(context, cards->large, from, from + SPGC_CARD_BYTES);
    else
      spgc_cards_visit_small(cards->heap, cards->batch[i], visit, context);
  }
}

/* For the objects of several cards, calls first `fetch`, then `visit`, because their children may
 * be anywhere. Without `visits`, only cleans the cards. */
struct spgc_deferred_visitor {
  spgc_dirty_visitor fetch, visit;
  void *context;
  bool visits;
};

/* The block is part of `large` unless that is null. Returns the bytes read. */
SPGC_INLINE size_t spgc_deferred_cards_scan(struct spgc_heap *heap, uint32_t index,
                                            struct spgc_ref large,
                                            const struct spgc_deferred_visitor *visitor) {
  struct spgc_deferred_cards cards = {.heap = heap,
                                      .large = large,
                                      .group = spgc_first_group(index),
                                      .end = spgc_first_group(index + 1),
                                      .searched_bytes = SPGC_GROUPS_PER_BLOCK};
  size_t card_bytes = 0;
  for (;;) {
    spgc_deferred_cards_find_some(&cards);
    if (cards.count == 0)
      return cards.searched_bytes + card_bytes;
    card_bytes += (size_t)cards.count * SPGC_CARD_BYTES;
    spgc_deferred_cards_clean_some(&cards, visitor->visits);
    spgc_deferred_cards_visit(&cards, visitor->fetch, visitor->context);
    spgc_deferred_cards_visit(&cards, visitor->visit, visitor->context);
  }
}

#endif
