/* Free runs of the zone for large objects: address-ordered first fit.
 *
 *   zone   | object | free run   | object | free run | object | ... high_water
 *            run      run   head            the length is in the first block's `run`,
 *                                           the first block's index in the last one's `head`
 *
 * Invariants: no two free runs are neighbours; no free run of a length of class `c` or longer
 * begins below heap->run_hints[c], which is where an object or a free run begins, or high_water.
 *
 * First fit bounds fragmentation. Let at most L blocks be in use at once, and let runs be of 2 to n
 * blocks. A request of s blocks, 2^k <= s < 2^(k+1), goes beyond A, the end of all that was ever
 * placed for requests below 2^k, only while every gap between A and it is shorter than s. What lies
 * there has at least 2^k blocks each: at most (L - s) / 2^k of them, which take L - s blocks, with
 * one gap more than that: less than 2 (L - s) + s. With the request itself that is at most 3 L. So
 * nothing is ever placed beyond 3 L floor(log2 n): spgc_runs_blocks.
 */
#ifndef SPGC_HEAP_RUNS_H
#define SPGC_HEAP_RUNS_H

#include "heap/heap.h"

/* A zone of so many blocks has a place for every run that the limit, also in blocks, admits. */
size_t spgc_runs_blocks(size_t limit_blocks);

void spgc_runs_create(struct spgc_heap *heap);

/* The first of the lowest free blocks that are `count` in a row, below the high-water mark, or
 * SPGC_BLOCK_NONE. */
uint32_t spgc_runs_find(struct spgc_heap *heap, size_t count);

/* Free blocks in a row that end at the high-water mark. */
uint32_t spgc_runs_last(const struct spgc_heap *heap);

/* The first `count` blocks of the free run that begins at `first` are in use from now on. */
void spgc_runs_take(struct spgc_heap *heap, uint32_t first, uint32_t count);

/* Blocks that were in use, or beyond the high-water mark, are free from now on; their space tells
 * that. */
void spgc_runs_give(struct spgc_heap *heap, uint32_t first, uint32_t count);

#endif
