/* A hash table from keys to numbers. The keys are kept by the caller, in an array that the numbers
 * index; the table holds the numbers and parts of the hashes. */
#ifndef SPGC_TOOLS_HEAP_HASH_INDEX_H
#define SPGC_TOOLS_HEAP_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NO_NUMBER UINT32_MAX

/* All zeros is an empty table. */
struct hash_index {
  struct hash_entry {
    uint32_t number; /* plus 1; 0 for a free entry */
    uint32_t hash;
  } *entries;
  size_t capacity; /* 0 or a power of two; at most three quarters of it are used */
  size_t count;
};

/* Whether the key of `number` is the one looked for. */
typedef bool hash_matches(const void *keys, uint32_t number, const void *key);

/* The number of the key, or NO_NUMBER. */
uint32_t hash_index_find(const struct hash_index *index, uint32_t hash, hash_matches *matches,
                         const void *keys, const void *key);

/* Adds a number whose key is not in the table. */
void hash_index_add(struct hash_index *index, uint32_t hash, uint32_t number);

void hash_index_free(struct hash_index *index);

/* A hash of bytes. */
uint32_t hash_bytes(const void *bytes, size_t size);

#endif
