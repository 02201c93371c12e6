#include "tools/heap/hash_index.h"

#include <stdlib.h>

#include "tools/heap/memory.h"

enum { FIRST_CAPACITY = 64 };

/* FNV-1a (Fowler, Noll, Vo), and a last step that mixes the low bits, which choose the entry. */
uint32_t hash_bytes(const void *bytes, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char *byte = bytes, *end = byte + size; byte < end; byte++)
    hash = (hash ^ *byte) * 0x100000001b3;
  return (uint32_t)(hash ^ hash >> 32);
}

uint32_t hash_index_find(const struct hash_index *index, uint32_t hash, hash_matches *matches,
                         const void *keys, const void *key) {
  if (index->capacity == 0)
    return NO_NUMBER;
  for (size_t i = hash & (index->capacity - 1);; i = (i + 1) & (index->capacity - 1)) {
    const struct hash_entry *entry = &index->entries[i];
    if (entry->number == 0)
      return NO_NUMBER;
    if (entry->hash == hash && matches(keys, entry->number - 1, key))
      return entry->number - 1;
  }
}

static void put(struct hash_index *index, struct hash_entry entry) {
  size_t i = entry.hash & (index->capacity - 1);
  while (index->entries[i].number != 0)
    i = (i + 1) & (index->capacity - 1);
  index->entries[i] = entry;
}

static void grow(struct hash_index *index) {
  struct hash_index larger = {.count = index->count};
  larger.capacity = index->capacity == 0 ? FIRST_CAPACITY : 2 * index->capacity;
  larger.entries = memory_zeroed(larger.capacity, sizeof *larger.entries);
  for (size_t i = 0; i < index->capacity; i++)
    if (index->entries[i].number != 0)
      put(&larger, index->entries[i]);
  free(index->entries);
  *index = larger;
}

void hash_index_add(struct hash_index *index, uint32_t hash, uint32_t number) {
  if (index->count >= index->capacity / 4 * 3)
    grow(index);
  put(index, (struct hash_entry){number + 1, hash});
  index->count++;
}

void hash_index_free(struct hash_index *index) {
  free(index->entries);
  *index = (struct hash_index){0};
}
