/* An array that stores equal runs of elements once. Elements are compared as bytes, so padding must
 * be zero. */
#ifndef SPGC_STACKWALK_FLAT_POOL_H
#define SPGC_STACKWALK_FLAT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/array.h"

struct flat_pool {
  struct array elements;
  /* struct flat_run: a hash table with open addressing and a power of two as its capacity. */
  struct array runs;
  size_t run_count;
};

struct flat_pool spgc_flat_pool_of(size_t element_size);

/* Gives the index of the run, or of an equal one; false if there is no memory. An empty run is at
 * 0. */
bool spgc_flat_pool_add(struct flat_pool *pool, const void *run, size_t count, uint32_t *first);

void spgc_flat_pool_free(struct flat_pool *pool);

#endif
