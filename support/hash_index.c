#include "support/hash_index.h"

enum { LEAST_SLOTS = 1 << 10 };

/* `item` is 0 for a free slot, else the number of the item and 1 more. */
struct slot {
  uint32_t item;
  uint32_t hash;
};

static size_t slot_count(const struct spgc_hash_index *index) {
  return SPGC_MAPPED_COUNT(&index->slots, struct slot);
}

static struct slot *slot_at(const struct spgc_hash_index *index, size_t i) {
  return SPGC_MAPPED_AT(&index->slots, struct slot, i & (slot_count(index) - 1));
}

uint32_t spgc_hash_index_find(const struct spgc_hash_index *index, uint64_t hash,
                              spgc_hash_is_item is_item, const void *context, const void *key) {
  if (index->count == 0)
    return SPGC_HASH_MISSING;
  for (size_t i = (uint32_t)hash;; i++) {
    const struct slot *slot = slot_at(index, i);
    if (slot->item == 0)
      return SPGC_HASH_MISSING;
    if (slot->hash == (uint32_t)hash && is_item(context, slot->item - 1, key))
      return slot->item - 1;
  }
}

static void put(struct spgc_hash_index *index, struct slot entry) {
  size_t i = entry.hash;
  while (slot_at(index, i)->item != 0)
    i++;
  *slot_at(index, i) = entry;
}

static bool grow(struct spgc_hash_index *index) {
  struct spgc_hash_index larger = {.count = index->count};
  size_t count = slot_count(index) == 0 ? LEAST_SLOTS : 2 * slot_count(index);
  if (spgc_mapped_array_add(&larger.slots, count * sizeof(struct slot)) == NULL)
    return false;
  for (size_t i = 0; i < slot_count(index); i++)
    if (slot_at(index, i)->item != 0)
      put(&larger, *slot_at(index, i));
  spgc_hash_index_free(index);
  *index = larger;
  return true;
}

bool spgc_hash_index_enter(struct spgc_hash_index *index, uint64_t hash, uint32_t item) {
  if (2 * (index->count + 1) > slot_count(index) && !grow(index))
    return false;
  put(index, (struct slot){item + 1, (uint32_t)hash});
  index->count++;
  return true;
}

void spgc_hash_index_free(struct spgc_hash_index *index) {
  spgc_mapped_array_free(&index->slots);
  index->count = 0;
}
