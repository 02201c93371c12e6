/* A hash table keyed by addresses.
 *
 * Open addressing, linear probing, removal by shifting back. Every entry starts with its key; key 0 marks an empty one.
 * Entries are plain bytes to the table, of the size each function is given, so that a lookup inlined with a constant
 * size is a multiplication and, mostly, one entry.
 *
 * Equations: capacity = mask + 1 = 2^(64 - shift); 2 * count <= capacity.
 */
#ifndef SPGC_STACKWALK_ADDRESS_TABLE_H
#define SPGC_STACKWALK_ADDRESS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct address_table {
  unsigned char *entries; /* NULL until the first reservation; starts on a cache line */
  size_t count;
  size_t mask;
  unsigned shift;
};

/* Room for `more` entries after those there are. Entries may move. False when out of memory; nothing changes then. */
bool spgc_address_table_reserve(struct address_table *table, size_t more, size_t entry_size);

/* The entry with `key`, made (its other bytes zero) if there was none. Room must have been reserved. */
void *spgc_address_table_insert(struct address_table *table, uintptr_t key, size_t entry_size);

/* Removes an entry. Others may move. */
void spgc_address_table_erase(struct address_table *table, void *entry, size_t entry_size);

static inline uintptr_t address_table_key(const void *entry) {
  uintptr_t key;
  memcpy(&key, entry, sizeof key);
  return key;
}

/* Fibonacci hashing: https://en.wikipedia.org/wiki/Hash_function#Fibonacci_hashing */
static inline size_t address_table_home(const struct address_table *table, uintptr_t key) {
  return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> table->shift);
}

/* The entry with `key`, or the empty one where it belongs. */
static inline void *address_table_probe(const struct address_table *table, uintptr_t key, size_t entry_size) {
  size_t index = address_table_home(table, key);
  for (;;) {
    unsigned char *entry = table->entries + index * entry_size;
    uintptr_t found = address_table_key(entry);
    if (found == key || found == 0)
      return entry;
    index = (index + 1) & table->mask;
  }
}

/* NULL when there is none. */
static inline void *address_table_find(const struct address_table *table, uintptr_t key, size_t entry_size) {
  if (table->entries == NULL)
    return NULL;
  void *entry = address_table_probe(table, key, entry_size);
  return address_table_key(entry) == 0 ? NULL : entry;
}

#endif
