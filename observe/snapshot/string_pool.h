/* Interned strings, without malloc. Number 0 is the empty string. */
#ifndef SPGC_OBSERVE_SNAPSHOT_STRING_POOL_H
#define SPGC_OBSERVE_SNAPSHOT_STRING_POOL_H

#include "observe/mapped_array.h"
#include "support/hash_index.h"

struct spgc_string_pool {
  struct spgc_mapped_array ends, bytes; /* string i ends before ends[i] */
  struct spgc_hash_index index;
  bool is_incomplete; /* the system refused memory */
};

/* Adds it if new. If the system refuses memory, the pool becomes incomplete, and the result is
 * 0. */
uint32_t spgc_string_pool_add(struct spgc_string_pool *pool, const char *text, size_t length);

uint32_t spgc_string_pool_count(const struct spgc_string_pool *pool);

const char *spgc_string_pool_text(const struct spgc_string_pool *pool, uint32_t number,
                                  size_t *length);

#endif
