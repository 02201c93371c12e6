/* Finds items of an array by their contents, without removal. The user provides the memory, because
 * malloc is forbidden in a forked child and in a stopped world. */
#ifndef SPGC_SUPPORT_HASH_INDEX_H
#define SPGC_SUPPORT_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPGC_HASH_MISSING = UINT32_MAX };

struct spgc_hash_memory {
  void *(*take)(size_t bytes); /* zeroed, or NULL */
  void (*give)(void *memory, size_t bytes);
};

/* Empty if all zero. */
struct spgc_hash_index {
  struct spgc_hash_slot {
    uint32_t item; /* plus 1; 0 if free */
    uint32_t hash;
  } *slots;
  size_t slot_count; /* 0, or a power of two */
  size_t count;
};

typedef bool (*spgc_hash_is_item)(const void *context, uint32_t item, const void *key);

uint32_t spgc_hash_index_find(const struct spgc_hash_index *index, uint32_t hash,
                              spgc_hash_is_item is_item, const void *context, const void *key);

/* The item must be new. False if out of memory. */
bool spgc_hash_index_enter(struct spgc_hash_index *index, const struct spgc_hash_memory *memory,
                           uint32_t hash, uint32_t item);

void spgc_hash_index_free(struct spgc_hash_index *index, const struct spgc_hash_memory *memory);

/* Fibonacci hashing: Knuth, The Art of Computer Programming, 6.4. */
static inline uint32_t spgc_hash_word(uint64_t word) {
  word *= UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(word ^ word >> 32);
}

/* FNV-1a (Fowler, Noll, Vo), with its low bits mixed, because they choose the slot. */
uint32_t spgc_hash_bytes(const void *bytes, size_t length);

#endif
