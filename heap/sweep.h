/* Sweeping: what was not marked in a block that stays becomes fillers, and room for survivors. */
#ifndef SPGC_HEAP_SWEEP_H
#define SPGC_HEAP_SWEEP_H

#include "heap/heap.h"

/* Frees the old blocks and large objects without a mark. The other old blocks are to be swept; what
 * is free in them is offered to survivors. Every mark is final. */
void spgc_sweep_begin(struct spgc_heap *heap);

/* Sweeps the block if it is to be swept. */
void spgc_sweep_block(struct spgc_heap *heap, uint32_t index);

/* Sweeps up to `count` blocks. Returns whether more are to be swept. */
bool spgc_sweep_some(struct spgc_heap *heap, uint32_t count);

#endif
