/* spgc/allocate.h and spgc/managed.h: stores of references by C, and atomic accesses. Generated
 * code inlines the same barrier (codegen/prelude.ll). */
#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "spgc/allocate.h"
#include "spgc/generated.h"
#include "spgc/thread.h"

/* A thread that may not touch objects has no cards; nor has memory outside the heap. */
static inline uintptr_t cards_for(const char *call, struct spgc_slot field) {
  uintptr_t cards = spgc_thread.cards;
  if (__builtin_expect(cards == 0, 0))
    spgc_misuse_unattached(call);
  spgc_require(spgc_heap_contains(&spgc_runtime.heap, (uintptr_t)field.location),
               "%s: %p is no field of an object", call, (const void *)field.location);
  return cards;
}

/* Adds the field to the store buffer, or makes its group card dirty. */
static inline void note(uintptr_t address, uint8_t *group_card) {
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

/* The write barrier, after the store. No collection comes in between because the caller is not at a
 * safepoint, and nothing else makes a dirty card or group card of an old object clean. */
static inline void dirty(uintptr_t cards, struct spgc_slot field) {
  uintptr_t address = (uintptr_t)field.location;
  uint8_t *card = (uint8_t *)(cards + (address >> SPGC_CARD_SHIFT));
  uint8_t *group_card = (uint8_t *)(spgc_thread.group_cards + (address >> SPGC_GROUP_CARD_SHIFT));
  __atomic_store_n(card, SPGC_CARD_DIRTY, __ATOMIC_RELAXED);
  if (__atomic_load_n(group_card, __ATOMIC_RELAXED) != SPGC_CARD_DIRTY)
    note(address, group_card);
}

void spgc_store(struct spgc_slot field, struct spgc_ref value) {
  uintptr_t cards = cards_for(__func__, field);
  __atomic_store_n(&field.location->word, value.word, __ATOMIC_RELEASE);
  dirty(cards, field);
}

struct spgc_ref spgc_exchange(struct spgc_slot field, struct spgc_ref value) {
  uintptr_t cards = cards_for(__func__, field);
  uintptr_t found = __atomic_exchange_n(&field.location->word, value.word, __ATOMIC_SEQ_CST);
  dirty(cards, field);
  return (struct spgc_ref){found};
}

bool spgc_compare_exchange(struct spgc_slot field, struct spgc_ref *expected,
                           struct spgc_ref value) {
  uintptr_t cards = cards_for(__func__, field);
  bool stored = __atomic_compare_exchange_n(&field.location->word, &expected->word, value.word,
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (stored)
    dirty(cards, field);
  return stored;
}

static struct spgc_slot field_of(struct spgc_ref object, uint64_t offset) {
  return (struct spgc_slot){(void *)(object.word + offset)};
}

struct spgc_ref spgc_field_load(struct spgc_ref object, uint64_t offset) {
  struct spgc_slot field = field_of(object, offset);
  return (struct spgc_ref){__atomic_load_n(&field.location->word, __ATOMIC_ACQUIRE)};
}

void spgc_field_store(struct spgc_ref object, uint64_t offset, struct spgc_ref value) {
  spgc_store(field_of(object, offset), value);
}

struct spgc_ref spgc_field_exchange(struct spgc_ref object, uint64_t offset,
                                    struct spgc_ref value) {
  return spgc_exchange(field_of(object, offset), value);
}

struct spgc_ref spgc_field_compare_exchange(struct spgc_ref object, uint64_t offset,
                                            struct spgc_ref expected, struct spgc_ref value) {
  spgc_compare_exchange(field_of(object, offset), &expected, value);
  return expected;
}
