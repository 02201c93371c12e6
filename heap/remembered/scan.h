/* Visits the objects with a part on a dirty card. In an unswept block, only marked ones. */
#ifndef SPGC_HEAP_REMEMBERED_SCAN_H
#define SPGC_HEAP_REMEMBERED_SCAN_H

#include "heap/mark_bits.h"
#include "heap/remembered/crossing_map.h"
#include "heap/remembered/tables.h"

SPGC_INLINE bool spgc_cards_are_without(const uint8_t group[SPGC_CARDS_PER_GROUP], uint8_t state) {
  const uint64_t *words = (const uint64_t *)group;
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof(uint64_t); i++)
    found |= __atomic_load_n(&words[i], __ATOMIC_RELAXED); /* mutators may dirty cards */
  return (found & SPGC_CARDS_OF(state)) == 0;
}

/* As bits, the first card's the lowest. */
SPGC_INLINE uint64_t spgc_cards_of_group(const struct spgc_heap *heap, size_t group,
                                         uint8_t state) {
  const uint64_t gather = UINT64_C(0x0102040810204080); /* the lowest bits of a word's bytes */
  const uint64_t *words = (const uint64_t *)(heap->cards + group * SPGC_CARDS_PER_GROUP);
  uint64_t found = 0;
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof *words; i++) {
    uint64_t word = __atomic_load_n(&words[i], __ATOMIC_RELAXED) & SPGC_CARDS_OF(state);
    found |= word / state * gather >> 56 << i * sizeof *words;
  }
  return found;
}

/* After its dirty cards got state `next`. */
SPGC_INLINE uint8_t spgc_group_card_once_read(const struct spgc_heap *heap, size_t group,
                                              uint8_t next) {
  const uint8_t *cards = heap->cards + group * SPGC_CARDS_PER_GROUP;
  if (next == SPGC_CARD_CLEAN && !spgc_cards_are_without(cards, SPGC_CARD_DEFERRED))
    return SPGC_CARD_DEFERRED;
  return next;
}

static inline uint32_t spgc_large_first(const struct spgc_heap *heap, uint32_t index) {
  bool is_rest = spgc_heap_space(heap, index) == SPGC_SPACE_LARGE_REST;
  return is_rest ? heap->blocks[index].head : index;
}

/* While cards are scanned, blocks become old for survivors, with clean cards. Who sees such a block
 * as old also sees these cards, even after an earlier dirty group card. */
static inline bool spgc_block_is_old(const struct spgc_heap *heap, uint32_t index) {
  const uint8_t *space = &heap->spaces[index];
  if (__atomic_load_n(space, __ATOMIC_ACQUIRE) == SPGC_SPACE_LARGE_REST)
    space = &heap->spaces[heap->blocks[index].head];
  uint8_t now = __atomic_load_n(space, __ATOMIC_ACQUIRE);
  return spgc_space_is_old((enum spgc_space)now);
}

/* Most are clean, so it skips a line or a word at a time, even beyond `end`. */
SPGC_INLINE size_t spgc_group_cards_next(const struct spgc_heap *heap, size_t group, size_t end) {
  const uint8_t *cards = heap->group_cards;
  while (group < end) {
    if (group % SPGC_CARDS_PER_GROUP == 0 &&
        spgc_cards_are_without(cards + group, SPGC_CARD_DIRTY)) {
      group += SPGC_CARDS_PER_GROUP;
      continue;
    }
    bool is_word = group % sizeof(uint64_t) == 0;
    uint64_t found = is_word ? __atomic_load_n((const uint64_t *)(cards + group), __ATOMIC_RELAXED)
                             : __atomic_load_n(&cards[group], __ATOMIC_RELAXED);
    found &= SPGC_CARDS_OF(SPGC_CARD_DIRTY);
    if (found != 0)
      return group + (size_t)__builtin_ctzll(found) / UINT8_WIDTH;
    group += is_word ? sizeof(uint64_t) : 1;
  }
  return end;
}

/* In address order, which hardware prefetchers follow; `end` if there is none. */
static inline size_t spgc_dirty_groups_next(const struct spgc_heap *heap, size_t group,
                                            size_t end) {
  while ((group = spgc_group_cards_next(heap, group, end)) < end) {
    uint32_t index = (uint32_t)(group / SPGC_GROUPS_PER_BLOCK);
    if (spgc_block_is_old(heap, index))
      return group;
    group = spgc_first_group(index + 1);
  }
  return end;
}

static inline size_t spgc_cards_retire(struct spgc_heap *heap, size_t group, uint8_t next) {
  const uint64_t dirty = SPGC_CARDS_OF(SPGC_CARD_DIRTY);
  uint64_t *words = (uint64_t *)(heap->cards + group * SPGC_CARDS_PER_GROUP);
  size_t retired = 0;
  heap->group_cards[group] = spgc_group_card_once_read(heap, group, next);
  for (size_t i = 0; i < SPGC_CARDS_PER_GROUP / sizeof *words; i++) {
    uint64_t word = words[i];
    retired += (word & dirty) / SPGC_CARD_DIRTY * SPGC_CARDS_OF(1) >> 56; /* sum of the bytes */
    words[i] = (word & ~dirty) | (word & dirty) / SPGC_CARD_DIRTY * next;
  }
  return retired;
}

/* When nothing is young. */
static inline size_t spgc_cards_retire_all(struct spgc_heap *heap, uint8_t next) {
  const size_t end = spgc_first_group(heap->high_water);
  size_t group = spgc_first_group(heap->low_water), retired = 0;
  for (; (group = spgc_dirty_groups_next(heap, group, end)) < end; group++)
    retired += spgc_cards_retire(heap, group, next);
  return retired;
}

/* On the dirty card [from, to). */
typedef void (*spgc_dirty_visitor)(void *context, struct spgc_ref object, uintptr_t from,
                                   uintptr_t to);

static inline uintptr_t spgc_card_start(const struct spgc_heap *heap, size_t card) {
  return heap->base + ((uintptr_t)card << SPGC_CARD_SHIFT);
}

/* Also the line before, where its first object may begin. */
SPGC_INLINE void spgc_card_fetch(const struct spgc_heap *heap, size_t card) {
  enum { CACHE_LINE = 64 };
  uintptr_t start = spgc_card_start(heap, card);
  for (uintptr_t line = start - CACHE_LINE; line < start + SPGC_CARD_BYTES; line += CACHE_LINE)
    __builtin_prefetch((void *)line);
  __builtin_prefetch(&heap->blocks[card / SPGC_CARDS_PER_BLOCK]);
  __builtin_prefetch(
      &heap->crossing_maps[card / SPGC_CARDS_PER_BLOCK][card % SPGC_CARDS_PER_BLOCK]);
}

/* The next dirty groups, with prefetched cards; `first` follows them. Returns their number. */
SPGC_INLINE uint32_t spgc_dirty_groups_find(const struct spgc_heap *heap, size_t *first, size_t end,
                                            size_t groups[SPGC_PREFETCHED]) {
  uint32_t found = 0;
  while (found < SPGC_PREFETCHED && (*first = spgc_dirty_groups_next(heap, *first, end)) < end) {
    __builtin_prefetch(heap->cards + *first * SPGC_CARDS_PER_GROUP);
    groups[found++] = (*first)++;
  }
  return found;
}

/* The group's dirty cards, as bits; prefetches them, and gives them state `next`. */
SPGC_INLINE uint64_t spgc_dirty_cards_take(struct spgc_heap *heap, size_t group, uint8_t next) {
  const uint64_t taken = spgc_cards_of_group(heap, group, SPGC_CARD_DIRTY);
  __atomic_store_n(&heap->group_cards[group], spgc_group_card_once_read(heap, group, next),
                   __ATOMIC_RELAXED); /* a worker of the groups before may read its word */
  for (uint64_t left = taken; left != 0; left &= left - 1) {
    size_t card = group * SPGC_CARDS_PER_GROUP + (size_t)__builtin_ctzll(left);
    spgc_card_fetch(heap, card);
    heap->cards[card] = next;
  }
  return taken;
}

SPGC_INLINE void spgc_cards_visit_small(struct spgc_heap *heap, size_t card,
                                        spgc_dirty_visitor visit, void *context) {
  uintptr_t from = spgc_card_start(heap, card), to = from + SPGC_CARD_BYTES;
  uint32_t index = (uint32_t)(card / SPGC_CARDS_PER_BLOCK);
  struct spgc_ref tile = spgc_crossing_map_find(heap, index, card % SPGC_CARDS_PER_BLOCK);
  while (tile.word < to)
    if (spgc_tile_is_unswept(heap, index, tile)) {
      tile = spgc_tile_next(heap, index, tile);
    } else {
      visit(context, tile, from, to); /* its copy may sweep the block */
      tile = spgc_object_next(tile);
    }
}

/* The cards are bits of the group. */
SPGC_INLINE void spgc_cards_visit(struct spgc_heap *heap, size_t group, uint64_t cards,
                                  spgc_dirty_visitor visit, void *context) {
  uint32_t index = (uint32_t)(group / SPGC_GROUPS_PER_BLOCK);
  bool is_small = spgc_space_is_old_small(spgc_heap_space(heap, index));
  for (; cards != 0; cards &= cards - 1) {
    size_t card = group * SPGC_CARDS_PER_GROUP + (size_t)__builtin_ctzll(cards);
    uintptr_t from = spgc_card_start(heap, card);
    if (is_small)
      spgc_cards_visit_small(heap, card, visit, context);
    else
      visit(context, spgc_heap_first_object(heap, spgc_large_first(heap, index)), from,
            from + SPGC_CARD_BYTES);
  }
}

/* Once for each dirty card of old blocks in the groups [first, end), which gets state `next`. */
SPGC_INLINE size_t spgc_cards_visit_dirty(struct spgc_heap *heap, size_t first, size_t end,
                                          uint8_t next, spgc_dirty_visitor visit, void *context) {
  size_t groups[SPGC_PREFETCHED], read = 0;
  uint64_t cards[SPGC_PREFETCHED];
  for (uint32_t found; (found = spgc_dirty_groups_find(heap, &first, end, groups)) != 0;)
    for (uint32_t i = 0, from = 0, count = 0; i < found; i++) {
      cards[i] = spgc_dirty_cards_take(heap, groups[i], next);
      count += (uint32_t)__builtin_popcountll(cards[i]);
      if (count < SPGC_PREFETCHED && i + 1 != found)
        continue;
      for (; from <= i; from++)
        spgc_cards_visit(heap, groups[from], cards[from], visit, context);
      read += count;
      count = 0;
    }
  return read;
}

/* Sets the field's card to `next`. False, without a visit, if its group card is dirty: the group's
 * cards are scanned. */
SPGC_INLINE bool spgc_field_visit_stored(struct spgc_heap *heap, struct spgc_slot field,
                                         uint8_t next, spgc_slot_visitor visit, void *context) {
  uintptr_t offset = (uintptr_t)field.location - heap->base;
  size_t group = offset >> SPGC_GROUP_CARD_SHIFT;
  uint8_t *group_card = &heap->group_cards[group];
  __atomic_store_n(&heap->group_stores[group], 0, __ATOMIC_RELAXED);
  if (__atomic_load_n(group_card, __ATOMIC_RELAXED) == SPGC_CARD_DIRTY)
    return false;
  __atomic_store_n(&heap->cards[offset >> SPGC_CARD_SHIFT], next, __ATOMIC_RELAXED);
  if (next != SPGC_CARD_CLEAN)
    __atomic_store_n(group_card, next, __ATOMIC_RELAXED);
  visit(context, field);
  return true;
}

/* Prefetches the fields and their cards. */
SPGC_INLINE void spgc_fields_fetch(const struct spgc_heap *heap, const struct spgc_slot *field,
                                   uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    __builtin_prefetch(field[i].location, 1);
    __builtin_prefetch(spgc_card_of(heap, (uintptr_t)field[i].location), 1);
  }
}

/* Clears their counts. Returns the number visited. */
SPGC_INLINE uint32_t spgc_fields_visit_stored(struct spgc_heap *heap, const struct spgc_slot *field,
                                              uint32_t count, uint8_t next, spgc_slot_visitor visit,
                                              void *context) {
  uint32_t visited = 0;
  for (uint32_t batch; count != 0; count -= batch, field += batch) {
    batch = count < SPGC_PREFETCHED ? count : SPGC_PREFETCHED;
    spgc_fields_fetch(heap, field, batch);
    for (uint32_t i = 0; i < batch; i++)
      visited += spgc_field_visit_stored(heap, field[i], next, visit, context);
  }
  return visited;
}

#endif
