#ifndef SPGC_HEAP_SWEEP_H
#define SPGC_HEAP_SWEEP_H

#include "heap/heap.h"

/* Frees large objects and blocks without live objects. Others become unswept and, with enough free
 * memory, recyclable. */
void spgc_sweep_begin(struct spgc_heap *heap);

void spgc_sweep_block(struct spgc_heap *heap, uint32_t index);

/* The block's mark bits tell its live objects, and `live` counts them. */
void spgc_sweep_later(struct spgc_heap *heap, uint32_t index);

/* Returns whether unswept blocks are left. */
bool spgc_sweep_some(struct spgc_heap *heap, uint32_t count);

#endif
