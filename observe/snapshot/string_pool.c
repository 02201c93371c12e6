#include "observe/snapshot/string_pool.h"

#include <string.h>

uint32_t spgc_string_pool_count(const struct spgc_string_pool *pool) {
  return (uint32_t)SPGC_MAPPED_COUNT(&pool->ends, size_t);
}

const char *spgc_string_pool_text(const struct spgc_string_pool *pool, uint32_t number,
                                  size_t *length) {
  size_t start = number == 0 ? 0 : *SPGC_MAPPED_AT(&pool->ends, size_t, number - 1);
  *length = *SPGC_MAPPED_AT(&pool->ends, size_t, number) - start;
  return (const char *)pool->bytes.bytes + start;
}

struct key {
  const char *text;
  size_t length;
};

static bool is_string(const void *context, uint32_t item, const void *key) {
  const struct key *wanted = key;
  size_t length;
  const char *text = spgc_string_pool_text(context, item, &length);
  return length == wanted->length && memcmp(text, wanted->text, length) == 0;
}

static bool append(struct spgc_string_pool *pool, const char *text, size_t length, uint32_t hash) {
  uint32_t number = spgc_string_pool_count(pool);
  char *bytes = spgc_mapped_array_add(&pool->bytes, length);
  size_t *end = spgc_mapped_array_add(&pool->ends, sizeof *end);
  if (bytes == NULL || end == NULL || number == SPGC_HASH_MISSING)
    return false;
  memcpy(bytes, text, length);
  *end = pool->bytes.used;
  return spgc_hash_index_enter(&pool->index, &spgc_mapped_memory, hash, number);
}

uint32_t spgc_string_pool_add(struct spgc_string_pool *pool, const char *text, size_t length) {
  if (spgc_string_pool_count(pool) == 0 && length != 0)
    spgc_string_pool_add(pool, "", 0);
  if (pool->is_incomplete)
    return 0;
  uint32_t hash = spgc_hash_bytes(text, length);
  const struct key key = {text, length};
  uint32_t found = spgc_hash_index_find(&pool->index, hash, is_string, pool, &key);
  if (found != SPGC_HASH_MISSING)
    return found;
  pool->is_incomplete = !append(pool, text, length, hash);
  return pool->is_incomplete ? 0 : spgc_string_pool_count(pool) - 1;
}
