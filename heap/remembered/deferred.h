/* The scan of deferred cards (gc/trace/mark.c). Meanwhile mutators dirty cards, which stay dirty
 * for the next collection. */
#ifndef SPGC_HEAP_REMEMBERED_DEFERRED_H
#define SPGC_HEAP_REMEMBERED_DEFERRED_H

#include "heap/mark_bits.h"
#include "heap/remembered/scan.h"

/* False if a mutator dirtied it. */
static inline bool spgc_deferred_card_clean(uint8_t *card) {
  uint8_t deferred = SPGC_CARD_DEFERRED;
  return __atomic_compare_exchange_n(card, &deferred, SPGC_CARD_CLEAN, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

/* The group's deferred cards, as bits, once clean; without those that a mutator dirtied. The group
 * card is cleaned before them. */
static inline uint64_t spgc_deferred_cards_take(struct spgc_heap *heap, size_t group,
                                                size_t *read_bytes) {
  uint8_t state = __atomic_load_n(&heap->group_cards[group], __ATOMIC_RELAXED);
  if (state == SPGC_CARD_CLEAN)
    return 0;
  if (state == SPGC_CARD_DEFERRED)
    spgc_deferred_card_clean(&heap->group_cards[group]);
  uint8_t *cards = heap->cards + group * SPGC_CARDS_PER_GROUP;
  uint64_t found = spgc_cards_of_group(heap, group, SPGC_CARD_DEFERRED), taken = 0;
  for (uint64_t left = found; left != 0; left &= left - 1)
    if (spgc_deferred_card_clean(&cards[__builtin_ctzll(left)]))
      taken |= left & -left;
  *read_bytes += SPGC_CARDS_PER_GROUP + (size_t)__builtin_popcountll(found) * SPGC_CARD_BYTES;
  return taken;
}

/* Prefetches the cards of a block, which are given as bits of its groups, and their mark bits. */
SPGC_INLINE void spgc_deferred_cards_fetch(const struct spgc_heap *heap, size_t first,
                                           const uint64_t cards[SPGC_GROUPS_PER_BLOCK]) {
  for (size_t i = 0; i < SPGC_GROUPS_PER_BLOCK; i++)
    for (uint64_t left = cards[i]; left != 0; left &= left - 1) {
      size_t card = (first + i) * SPGC_CARDS_PER_GROUP + (size_t)__builtin_ctzll(left);
      spgc_card_fetch(heap, card);
      __builtin_prefetch(spgc_mark_bits_of(heap, card * (SPGC_CARD_BYTES / SPGC_WORD_BYTES)));
    }
}

/* For the objects of several cards, calls first `fetch`, then `visit`, because their children may
 * be anywhere. Without `visits`, only cleans the cards. */
struct spgc_deferred_visitor {
  spgc_dirty_visitor fetch, visit;
  void *context;
  bool visits;
};

/* The cards of a block. Returns the bytes read. */
SPGC_INLINE size_t spgc_deferred_cards_scan(struct spgc_heap *heap, uint32_t index,
                                            const struct spgc_deferred_visitor *visitor) {
  const size_t first = spgc_first_group(index);
  uint64_t taken[SPGC_GROUPS_PER_BLOCK];
  size_t read_bytes = SPGC_GROUPS_PER_BLOCK;
  for (size_t i = 0; i < SPGC_GROUPS_PER_BLOCK; i++)
    taken[i] = spgc_deferred_cards_take(heap, first + i, &read_bytes);
  if (!visitor->visits)
    return read_bytes;
  spgc_deferred_cards_fetch(heap, first, taken);
  for (size_t i = 0; i < SPGC_GROUPS_PER_BLOCK; i++)
    spgc_cards_visit(heap, first + i, taken[i], visitor->fetch, visitor->context);
  for (size_t i = 0; i < SPGC_GROUPS_PER_BLOCK; i++)
    spgc_cards_visit(heap, first + i, taken[i], visitor->visit, visitor->context);
  return read_bytes;
}

#endif
