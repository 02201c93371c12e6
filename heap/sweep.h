/* Sweeping: unmarked memory of old blocks becomes fillers, and holes for survivors. */
#ifndef SPGC_HEAP_SWEEP_H
#define SPGC_HEAP_SWEEP_H

#include "heap/heap.h"

/* When a marking is complete: frees the old blocks and large objects without a mark. Marks the
 * others as unswept, and those with enough free memory as recyclable. */
void spgc_sweep_begin(struct spgc_heap *heap);

void spgc_sweep_block(struct spgc_heap *heap, uint32_t index);

/* Sweeps up to `count` blocks. Returns whether unswept blocks are left. */
bool spgc_sweep_some(struct spgc_heap *heap, uint32_t count);

#endif
