#include "support/hash_index.h"

enum { LEAST_SLOTS = 512 }; /* a page */

uint32_t spgc_hash_bytes(const void *bytes, size_t length) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const unsigned char *byte = bytes, *end = byte + length; byte < end; byte++)
    hash = (hash ^ *byte) * UINT64_C(0x100000001b3);
  return (uint32_t)(hash ^ hash >> 32);
}

uint32_t spgc_hash_index_find(const struct spgc_hash_index *index, uint32_t hash,
                              spgc_hash_is_item is_item, const void *context, const void *key) {
  if (index->count == 0)
    return SPGC_HASH_MISSING;
  size_t mask = index->slot_count - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    const struct spgc_hash_slot *slot = &index->slots[i];
    if (slot->item == 0)
      return SPGC_HASH_MISSING;
    if (slot->hash == hash && is_item(context, slot->item - 1, key))
      return slot->item - 1;
  }
}

static void put(struct spgc_hash_index *index, struct spgc_hash_slot entry) {
  size_t mask = index->slot_count - 1, i = entry.hash & mask;
  while (index->slots[i].item != 0)
    i = (i + 1) & mask;
  index->slots[i] = entry;
}

static bool grow(struct spgc_hash_index *index, const struct spgc_hash_memory *memory) {
  struct spgc_hash_index larger = {.count = index->count};
  larger.slot_count = index->slot_count == 0 ? LEAST_SLOTS : 2 * index->slot_count;
  larger.slots = memory->take(larger.slot_count * sizeof *larger.slots);
  if (larger.slots == NULL)
    return false;
  for (size_t i = 0; i < index->slot_count; i++)
    if (index->slots[i].item != 0)
      put(&larger, index->slots[i]);
  spgc_hash_index_free(index, memory);
  *index = larger;
  return true;
}

bool spgc_hash_index_enter(struct spgc_hash_index *index, const struct spgc_hash_memory *memory,
                           uint32_t hash, uint32_t item) {
  if (2 * (index->count + 1) > index->slot_count && !grow(index, memory))
    return false;
  put(index, (struct spgc_hash_slot){item + 1, hash});
  index->count++;
  return true;
}

void spgc_hash_index_free(struct spgc_hash_index *index, const struct spgc_hash_memory *memory) {
  if (index->slots != NULL)
    memory->give(index->slots, index->slot_count * sizeof *index->slots);
  *index = (struct spgc_hash_index){0};
}
