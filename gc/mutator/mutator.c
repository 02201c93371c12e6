#include "gc/mutator/mutator.h"

#include "gc/state/runtime.h"
#include "support/min_max.h"

_Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_attached __attribute__((tls_model("initial-exec")));

ptrdiff_t spgc_thread_offset(void) {
  return (char *)&spgc_thread - (char *)__builtin_thread_pointer();
}

void spgc_mutator_open_tlab(struct spgc_mutator *mutator, const struct spgc_heap *heap,
                            uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  mutator->tlab = index;
  mutator->tlab_limit = start + SPGC_BLOCK_BYTES;
  mutator->thread->cursor = start;
  spgc_sampler_enter_tlab(&mutator->sampler, start);
  spgc_mutator_raise_soft_limit(mutator);
}

void spgc_mutator_raise_soft_limit(struct spgc_mutator *mutator) {
  if (spgc_runtime.options.stress != SPGC_STRESS_NONE)
    return;
  uintptr_t cursor = mutator->thread->cursor;
  bool reaches_end = mutator->tlab_limit - cursor <= SPGC_LARGEST_SMALL;
  uintptr_t limit = reaches_end ? mutator->tlab_limit : cursor + SPGC_LARGEST_SMALL;
  mutator->thread->limit = spgc_min(limit, mutator->sampler.point);
}

void spgc_mutator_drop_soft_limit(struct spgc_mutator *mutator) {
  mutator->thread->limit = 0;
}

size_t spgc_mutator_tlab_bytes(const struct spgc_mutator *mutator, const struct spgc_heap *heap) {
  if (mutator->tlab == SPGC_BLOCK_NONE)
    return 0;
  return __atomic_load_n(&mutator->thread->cursor, __ATOMIC_RELAXED) -
         spgc_heap_block_start(heap, mutator->tlab);
}

void spgc_mutator_publish_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  if (mutator->tlab != SPGC_BLOCK_NONE)
    heap->blocks[mutator->tlab].top = (uint32_t)spgc_mutator_tlab_bytes(mutator, heap);
}

size_t spgc_mutator_retire_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  size_t bytes = spgc_mutator_tlab_bytes(mutator, heap);
  spgc_mutator_publish_tlab(mutator, heap);
  spgc_sampler_leave_tlab(&mutator->sampler, mutator->thread->cursor);
  mutator->tlab = SPGC_BLOCK_NONE;
  mutator->tlab_limit = mutator->thread->cursor = mutator->thread->limit = 0;
  return bytes;
}

void spgc_mutator_drop_tlab(struct spgc_mutator *mutator) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_runtime_lock_heap();
  runtime->statistics.allocated_bytes += spgc_mutator_retire_tlab(mutator, &runtime->heap);
  spgc_runtime_unlock_heap();
}
