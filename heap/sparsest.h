/* The sparsest old blocks, as many as a capacity takes: evacuating them makes the most room for
 * each byte copied. */
#ifndef SPGC_HEAP_SPARSEST_H
#define SPGC_HEAP_SPARSEST_H

#include "heap/heap.h"

enum { SPGC_NOT_ELIGIBLE = -1 };

/* What a block takes of the capacity, or SPGC_NOT_ELIGIBLE. */
typedef int64_t (*spgc_block_weigh)(const void *context, const struct spgc_heap *heap,
                                    uint32_t index);

/* All eligible blocks of the classes below `last`, by live bytes, and blocks of class `last` as
 * long as `left` takes them. */
struct spgc_sparsest {
  spgc_block_weigh weigh;
  const void *context;
  size_t last, left;
};

struct spgc_sparsest spgc_sparsest_select(const struct spgc_heap *heap, spgc_block_weigh weigh,
                                          const void *context, size_t capacity);

/* Whether a block is selected. Called once for each block, in address order. */
bool spgc_sparsest_take(struct spgc_sparsest *sparsest, const struct spgc_heap *heap,
                        uint32_t index);

struct spgc_sparsest_sum {
  size_t blocks, live_bytes;
};

struct spgc_sparsest_sum spgc_sparsest_sum(struct spgc_sparsest sparsest,
                                           const struct spgc_heap *heap);

#endif
