/* Cards: which parts of old objects may refer to younger ones. A group card, for each cache line of
 * cards, says which states they may have, so that clean groups are not searched. docs/heap.md has
 * the invariants ("Cards and crossing maps"), docs/collections.md the states ("States of a
 * card"). */
#ifndef SPGC_HEAP_REMEMBERED_TABLES_H
#define SPGC_HEAP_REMEMBERED_TABLES_H

#include <string.h>

#include "heap/heap.h"

/* Beside those of spgc/thread.h. */
enum { SPGC_CARD_DEFERRED = 2 };

/* A group card's third state, during a collection: see heap/remembered/new_large.h. */
enum { SPGC_GROUP_CARD_HELD = 4 };

_Static_assert((SPGC_CARD_DEFERRED & SPGC_CARD_DIRTY) == 0 && SPGC_CARD_CLEAN == 0,
               "cards are told apart by bits");

#define SPGC_CARDS_OF(state) (~UINT64_C(0) / UINT8_MAX * (state))

static inline uint8_t *spgc_card_of(const struct spgc_heap *heap, uintptr_t address) {
  return heap->cards + ((address - heap->base) >> SPGC_CARD_SHIFT);
}

/* Of spgc_thread. */
static inline uintptr_t spgc_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->cards - (heap->base >> SPGC_CARD_SHIFT);
}

static inline uintptr_t spgc_group_cards_biased(const struct spgc_heap *heap) {
  return (uintptr_t)heap->group_cards - (heap->base >> SPGC_GROUP_CARD_SHIFT);
}

static inline uint32_t *spgc_group_cards_of_block(const struct spgc_heap *heap, uint32_t index) {
  _Static_assert(SPGC_GROUPS_PER_BLOCK == sizeof(uint32_t), "they are accessed as a word");
  return (uint32_t *)heap->group_cards + index;
}

/* Also clears the counts of stores. Another worker may search the cards. */
static inline void spgc_cards_clean(struct spgc_heap *heap, uint32_t index, size_t count) {
  memset(heap->cards + (size_t)index * SPGC_CARDS_PER_BLOCK, SPGC_CARD_CLEAN,
         count * SPGC_CARDS_PER_BLOCK);
  memset(heap->group_stores + (size_t)index * SPGC_GROUPS_PER_BLOCK, 0,
         count * SPGC_GROUPS_PER_BLOCK);
  for (size_t i = 0; i < count; i++)
    __atomic_store_n(spgc_group_cards_of_block(heap, index) + i, 0, __ATOMIC_RELAXED);
}

static inline size_t spgc_first_group(uint32_t index) {
  return (size_t)index * SPGC_GROUPS_PER_BLOCK;
}

#endif
