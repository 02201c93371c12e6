#include "gc/trace/sweep_all.h"

#include "heap/sweep.h"

enum {
  UNIT_BLOCKS = 32,   /* a worker takes so many at once */
  LEAST_BLOCKS = 512, /* other workers are called for so many */
};

static uint32_t claim_unit(struct spgc_heap *heap, uint32_t unit[UNIT_BLOCKS]) {
  uint32_t count = 0;
  pthread_mutex_lock(&heap->lock);
  for (; count < UNIT_BLOCKS && heap->unswept != SPGC_BLOCK_NONE;
       heap->unswept = heap->blocks[heap->unswept].next)
    unit[count++] = heap->unswept;
  pthread_mutex_unlock(&heap->lock);
  return count;
}

static void sweep_as_worker(void *context, uint32_t worker) {
  struct spgc_heap *heap = context;
  uint32_t unit[UNIT_BLOCKS], count;
  while ((count = claim_unit(heap, unit)) != 0)
    for (uint32_t i = 0; i < count; i++)
      spgc_sweep_block(heap, unit[i]);
}

void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism) {
  bool many = parallelism->at_once || heap->old.count >= LEAST_BLOCKS;
  if (heap->unswept != SPGC_BLOCK_NONE && parallelism->extra_workers != 0 && many)
    spgc_worker_pool_run(parallelism->pool, parallelism->extra_workers, sweep_as_worker, heap);
  else
    spgc_sweep_some(heap, UINT32_MAX);
}
