/* Free runs of the zone for large objects: address-ordered first fit.
 *
 *   zone   | object | free run   | object | free run | object | ... high_water
 *            run      run   head
 *   The first block's `run` holds the length, the last block's `head` the first block's index.
 *
 * Invariants: no two free runs are adjacent; no free run of class `c` or larger begins below
 * heap->run_hints[c]. A hint is the start of an object or a free run, or high_water.
 *
 * First fit bounds fragmentation. Let at most L blocks be in use, and runs have 2 to n blocks. Let
 * A be the end of all blocks ever placed for requests below 2^k. A request of s blocks, 2^k <= s <
 * 2^(k+1), is placed beyond A only if every gap between A and its place is shorter than s. Each
 * object there has at least 2^k blocks, so there are at most (L - s) / 2^k of them. They take L - s
 * blocks, and there is one gap more than objects: less than 2 (L - s) + s blocks of gaps. With the
 * request that is at most 3 L for each k. So nothing is placed beyond 3 L floor(log2 n), which
 * spgc_runs_blocks returns. */
#ifndef SPGC_HEAP_RUNS_H
#define SPGC_HEAP_RUNS_H

#include "heap/heap.h"

/* A zone with a place for every run under the limit. */
size_t spgc_runs_blocks(size_t limit_blocks);

void spgc_runs_create(struct spgc_heap *heap);

/* The lowest of at least `count` blocks, or SPGC_BLOCK_NONE. */
uint32_t spgc_runs_find(struct spgc_heap *heap, size_t count);

/* The free run at the high-water mark, or 0. */
uint32_t spgc_runs_last(const struct spgc_heap *heap);

void spgc_runs_take(struct spgc_heap *heap, uint32_t first, uint32_t count);

/* The blocks were in use, or extend the zone. Their space is SPGC_SPACE_FREE. */
void spgc_runs_give(struct spgc_heap *heap, uint32_t first, uint32_t count);

#endif
