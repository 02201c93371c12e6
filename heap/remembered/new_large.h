/* A collection that copies reads only the stored parts of a new array, however long it is.
 *
 * Invariant until the first collection: a field that refers to an object is on a dirty card, and
 * the group card is dirty. Stores are never buffered, because the counts of the groups are full.
 * Objects of at most SPGC_MOST_FRESH_ELEMENTS elements are exempt, and read in whole.
 *
 * When such an object is condemned, its dirty group cards become held, so that the scan of old
 * objects passes over them. If it is reached, its held groups are scanned. */
#ifndef SPGC_HEAP_REMEMBERED_NEW_LARGE_H
#define SPGC_HEAP_REMEMBERED_NEW_LARGE_H

#include "heap/object.h"
#include "heap/remembered/scan.h"

/* Whether the invariant holds for the large object in block `index`, in its first collection. */
static inline bool spgc_new_large_is_noted(const struct spgc_heap *heap, uint32_t index) {
  struct spgc_ref object = spgc_heap_first_object(heap, index);
  return !heap->blocks[index].was_old && (spgc_object_type(object)->flags & SPGC_TYPE_TAIL) != 0 &&
         spgc_object_length(object) > SPGC_MOST_FRESH_ELEMENTS;
}

/* A new run's cards are clean. */
static inline void spgc_new_large_begin(struct spgc_heap *heap, uint32_t index, uint32_t run) {
  memset(heap->group_stores + spgc_first_group(index), SPGC_MOST_GROUP_STORES,
         (size_t)run * SPGC_GROUPS_PER_BLOCK);
}

/* Cleans its cards and the counts. */
static inline void spgc_new_large_becomes_old(struct spgc_heap *heap, uint32_t index) {
  uint32_t run = heap->blocks[index].run;
  for (uint32_t i = index; i < index + run; i++)
    if (*spgc_group_cards_of_block(heap, i) != 0)
      spgc_cards_clean(heap, i, 1);
  memset(heap->group_stores + spgc_first_group(index), 0, (size_t)run * SPGC_GROUPS_PER_BLOCK);
}

/* Holds the dirty groups of an object that is being condemned. */
static inline void spgc_new_large_hold(struct spgc_heap *heap, uint32_t index) {
  enum { SHIFT = 2 };
  _Static_assert(SPGC_CARD_DIRTY << SHIFT == SPGC_GROUP_CARD_HELD, "four groups are held at once");
  for (uint32_t i = index; i < index + heap->blocks[index].run; i++)
    *spgc_group_cards_of_block(heap, i) <<= SHIFT;
}

static inline bool spgc_new_large_holds(const struct spgc_heap *heap, uint32_t index) {
  return *spgc_group_cards_of_block(heap, index) != 0;
}

/* Visits the fields on dirty cards of the held groups in a block of `object`, adjacent cards
 * together. */
SPGC_INLINE void spgc_new_large_visit(const struct spgc_heap *heap, uint32_t index,
                                      struct spgc_ref object, spgc_slot_visitor visit,
                                      void *context) {
  for (size_t group = spgc_first_group(index); group < spgc_first_group(index + 1); group++) {
    if (heap->group_cards[group] != SPGC_GROUP_CARD_HELD)
      continue;
    const uintptr_t start = spgc_card_start(heap, group * SPGC_CARDS_PER_GROUP);
    uint64_t dirty = spgc_cards_of_group(heap, group, SPGC_CARD_DIRTY);
    while (dirty != 0) {
      uint64_t first = dirty & -dirty, after = dirty + first; /* 0: up to the last card */
      uint32_t from = (uint32_t)__builtin_ctzll(first),
               to = after == 0 ? SPGC_CARDS_PER_GROUP : (uint32_t)__builtin_ctzll(after);
      struct spgc_window window = {start + ((uintptr_t)from << SPGC_CARD_SHIFT),
                                   start + ((uintptr_t)to << SPGC_CARD_SHIFT), visit, context};
      spgc_object_visit_within(object, spgc_object_type(object), &window);
      dirty &= after;
    }
  }
}

#endif
