/* The write barrier of spgc/thread.h in C; codegen/prelude.ll has it for generated code. A mutator
 * runs it after its store, not at a safepoint, so no collection intervenes, and nothing else cleans
 * dirty cards of old objects. */
#ifndef SPGC_HEAP_REMEMBERED_BARRIER_H
#define SPGC_HEAP_REMEMBERED_BARRIER_H

#include <string.h>

#include "heap/heap.h"
#include "spgc/thread.h"

static inline void spgc_remembered_note_in_group(uintptr_t address, uint8_t *group_card) {
  uintptr_t *free = (uintptr_t *)spgc_thread.stores;
  const uintptr_t *buffer = (uintptr_t *)(spgc_thread.stores & -(uintptr_t)SPGC_STORE_BUFFER_BYTES),
                  *last = buffer + SPGC_STORE_BUFFER_BYTES / sizeof *buffer - 1;
  uint8_t *count = (uint8_t *)(*buffer + (address >> SPGC_GROUP_CARD_SHIFT));
  uint8_t before = __atomic_load_n(count, __ATOMIC_RELAXED);
  if (before >= SPGC_MOST_GROUP_STORES || free == last) {
    __atomic_store_n(group_card, SPGC_CARD_DIRTY, __ATOMIC_RELAXED);
    return;
  }
  *free = address;
  spgc_thread.stores = (uintptr_t)(free + 1);
  __atomic_store_n(count, (uint8_t)(before + 1), __ATOMIC_RELAXED);
}

static inline void spgc_remembered_note(struct spgc_slot field) {
  uintptr_t address = (uintptr_t)field.location;
  uint8_t *card = (uint8_t *)(spgc_thread.cards + (address >> SPGC_CARD_SHIFT));
  uint8_t *group_card = (uint8_t *)(spgc_thread.group_cards + (address >> SPGC_GROUP_CARD_SHIFT));
  __atomic_store_n(card, SPGC_CARD_DIRTY, __ATOMIC_RELAXED);
  if (__atomic_load_n(group_card, __ATOMIC_RELAXED) != SPGC_CARD_DIRTY)
    spgc_remembered_note_in_group(address, group_card);
}

/* References may have been stored anywhere into these bytes. */
static inline void spgc_remembered_note_range(uintptr_t start, uint64_t bytes) {
  uintptr_t last = start + bytes - 1, card = start >> SPGC_CARD_SHIFT,
            group = start >> SPGC_GROUP_CARD_SHIFT;
  memset((void *)(spgc_thread.cards + card), SPGC_CARD_DIRTY, (last >> SPGC_CARD_SHIFT) - card + 1);
  memset((void *)(spgc_thread.group_cards + group), SPGC_CARD_DIRTY,
         (last >> SPGC_GROUP_CARD_SHIFT) - group + 1);
}

/* The field is no longer a reference, so no collection may find it in a store buffer: cards are
 * read instead. */
static inline void spgc_remembered_forget(struct spgc_heap *heap, struct spgc_slot field) {
  size_t group = ((uintptr_t)field.location - heap->base) >> SPGC_GROUP_CARD_SHIFT;
  if (__atomic_load_n(&heap->group_stores[group], __ATOMIC_RELAXED) != 0)
    __atomic_store_n(&heap->group_cards[group], SPGC_CARD_DIRTY, __ATOMIC_RELAXED);
}

#endif
