/* An index over the items of an array: finds an item by its contents. Open addressing, at most half
 * full; nothing is ever removed. */
#ifndef SPGC_SUPPORT_HASH_INDEX_H
#define SPGC_SUPPORT_HASH_INDEX_H

#include "gc/observe/mapped_array.h"

#include <stdint.h>

enum { SPGC_HASH_MISSING = UINT32_MAX };

/* All zero, it is empty. */
struct spgc_hash_index {
  struct spgc_mapped_array slots;
  size_t count;
};

/* Whether the item with this number is the one that is looked for. */
typedef bool (*spgc_hash_is_item)(const void *context, uint32_t item, const void *key);

/* The number of the item, or SPGC_HASH_MISSING. `hash` is that of the key. */
uint32_t spgc_hash_index_find(const struct spgc_hash_index *index, uint64_t hash,
                              spgc_hash_is_item is_item, const void *context, const void *key);

/* Enters an item that is missing. False if the system refuses memory. */
bool spgc_hash_index_enter(struct spgc_hash_index *index, uint64_t hash, uint32_t item);

void spgc_hash_index_free(struct spgc_hash_index *index);

/* Fibonacci hashing: Knuth, The Art of Computer Programming, 6.4. */
static inline uint64_t spgc_hash_word(uint64_t word) {
  word *= UINT64_C(0x9e3779b97f4a7c15);
  return word ^ word >> 32;
}

static inline uint64_t spgc_hash_bytes(const char *bytes, size_t length) {
  uint64_t hash = length;
  for (size_t i = 0; i < length; i++)
    hash = spgc_hash_word(hash ^ (unsigned char)bytes[i]);
  return hash;
}

#endif
