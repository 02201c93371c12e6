#include "stackwalk/flat_pool.h"

#include <string.h>

enum { FIRST_RUNS = 64 };

/* count 0: unused. */
struct flat_run {
  uint64_t hash;
  uint32_t first, count;
};

struct flat_pool spgc_flat_pool_of(size_t element_size) {
  return (struct flat_pool){.elements.element_size = element_size,
                            .runs.element_size = sizeof(struct flat_run)};
}

/* FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const unsigned char *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
  return hash;
}

static bool is_run(const struct flat_pool *pool, const struct flat_run *run, uint64_t hash,
                   const void *elements, size_t count) {
  size_t size = pool->elements.element_size;
  const unsigned char *stored = (const unsigned char *)pool->elements.data + run->first * size;
  return run->hash == hash && run->count == count && memcmp(stored, elements, count * size) == 0;
}

/* The entry of an equal run, or the unused entry for it. */
static struct flat_run *probe(struct flat_pool *pool, uint64_t hash, const void *elements,
                              size_t count) {
  struct flat_run *runs = pool->runs.data;
  size_t mask = pool->runs.count - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask)
    if (runs[i].count == 0 || is_run(pool, &runs[i], hash, elements, count))
      return &runs[i];
}

static bool grow(struct flat_pool *pool) {
  struct flat_pool larger = {.elements = pool->elements,
                             .runs.element_size = sizeof(struct flat_run)};
  if (spgc_array_append(&larger.runs, pool->runs.count == 0 ? FIRST_RUNS : pool->runs.count * 2) ==
      NULL)
    return false;
  const struct flat_run *runs = pool->runs.data;
  for (size_t i = 0; i < pool->runs.count; i++)
    if (runs[i].count != 0)
      *probe(&larger, runs[i].hash,
             (const unsigned char *)pool->elements.data +
                 runs[i].first * pool->elements.element_size,
             runs[i].count) = runs[i];
  spgc_array_free(&pool->runs);
  pool->runs = larger.runs;
  return true;
}

bool spgc_flat_pool_add(struct flat_pool *pool, const void *run, size_t count, uint32_t *first) {
  *first = 0;
  if (count == 0)
    return true;
  if (pool->run_count * 2 >= pool->runs.count && !grow(pool))
    return false;
  uint64_t hash = hash_of(run, count * pool->elements.element_size);
  struct flat_run *entry = probe(pool, hash, run, count);
  if (entry->count == 0) {
    size_t start = pool->elements.count;
    void *stored = start + count <= UINT32_MAX ? spgc_array_append(&pool->elements, count) : NULL;
    if (stored == NULL)
      return false;
    memcpy(stored, run, count * pool->elements.element_size);
    *entry = (struct flat_run){hash, (uint32_t)start, (uint32_t)count};
    pool->run_count++;
  }
  *first = entry->first;
  return true;
}

void spgc_flat_pool_free(struct flat_pool *pool) {
  spgc_array_free(&pool->elements);
  spgc_array_free(&pool->runs);
}
