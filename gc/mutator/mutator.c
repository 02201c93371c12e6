#include "gc/mutator/mutator.h"

#include "gc/state/runtime.h"
#include "support/min_max.h"

_Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_attached __attribute__((tls_model("initial-exec")));

ptrdiff_t spgc_thread_offset(void) {
  return (char *)&spgc_thread - (char *)__builtin_thread_pointer();
}

static void enter(struct spgc_mutator *mutator, uintptr_t start, uintptr_t limit) {
  mutator->tlab_limit = limit;
  __atomic_store_n(&mutator->thread->cursor, start, __ATOMIC_RELEASE);
  spgc_sampler_enter_tlab(&mutator->sampler, start);
  spgc_mutator_raise_soft_limit(mutator);
}

void spgc_mutator_open_tlab(struct spgc_mutator *mutator, const struct spgc_heap *heap,
                            uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  mutator->tlab = index;
  enter(mutator, start, start + SPGC_BLOCK_BYTES);
}

/* The start of the TLAB, or the cursor, which is 0. Other threads may ask. */
static uintptr_t tlab_start(const struct spgc_mutator *mutator, const struct spgc_heap *heap) {
  if (mutator->tlab != SPGC_BLOCK_NONE)
    return spgc_heap_block_start(heap, mutator->tlab);
  return __atomic_load_n(&mutator->born_old.start, __ATOMIC_ACQUIRE);
}

static void leave_hole(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  uintptr_t cursor = mutator->thread->cursor;
  size_t bytes = cursor - mutator->born_old.start;
  spgc_born_old_leave(heap, &mutator->born_old, cursor);
  __atomic_store_n(&mutator->born_old_bytes, mutator->born_old_bytes + bytes, __ATOMIC_RELEASE);
}

static void leave_block(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  spgc_mutator_publish_tlab(mutator, heap);
  spgc_runtime.statistics.allocated_bytes += heap->blocks[mutator->tlab].top;
  mutator->tlab = SPGC_BLOCK_NONE;
}

/* Leaves the TLAB, if there is one. A hole needs no lock. */
static void leave(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  uintptr_t cursor = mutator->thread->cursor;
  if (mutator->tlab != SPGC_BLOCK_NONE)
    leave_block(mutator, heap);
  else if (cursor != 0)
    leave_hole(mutator, heap);
  spgc_sampler_leave_tlab(&mutator->sampler, cursor);
  mutator->tlab_limit = mutator->thread->limit = 0;
  __atomic_store_n(&mutator->thread->cursor, 0, __ATOMIC_RELEASE);
}

bool spgc_mutator_open_hole(struct spgc_mutator *mutator, struct spgc_heap *heap, size_t bytes) {
  spgc_require(mutator->tlab == SPGC_BLOCK_NONE, "a hole is opened beside a block");
  leave(mutator, heap);
  if (!spgc_born_old_open_next(heap, &mutator->born_old, bytes))
    return false;
  enter(mutator, mutator->born_old.start, mutator->born_old.limit);
  return true;
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

void spgc_mutator_publish_tlab(struct spgc_mutator *mutator, struct spgc_heap *heap) {
  uintptr_t cursor = mutator->thread->cursor;
  if (mutator->tlab != SPGC_BLOCK_NONE)
    heap->blocks[mutator->tlab].top =
        (uint32_t)(cursor - spgc_heap_block_start(heap, mutator->tlab));
  else if (cursor != 0)
    spgc_born_old_publish(&mutator->born_old, cursor);
}

/* Holes are left without the heap lock. One that is left meanwhile is not counted: its bytes are
 * read before its start and cursor, and start and cursor are of one hole if the start did not
 * change. */
struct spgc_uncounted spgc_mutator_uncounted(const struct spgc_mutator *mutator,
                                             const struct spgc_heap *heap) {
  size_t left = __atomic_load_n(&mutator->born_old_bytes, __ATOMIC_ACQUIRE);
  uintptr_t start = tlab_start(mutator, heap),
            cursor = __atomic_load_n(&mutator->thread->cursor, __ATOMIC_ACQUIRE);
  bool agree =
      cursor >= start && cursor - start <= SPGC_BLOCK_BYTES && tlab_start(mutator, heap) == start;
  size_t open = agree ? cursor - start : 0;
  return (struct spgc_uncounted){left + open,
                                 mutator->tlab == SPGC_BLOCK_NONE ? left + open : left};
}

void spgc_mutator_retire_tlab(struct spgc_mutator *mutator) {
  struct spgc_statistics *statistics = &spgc_runtime.statistics;
  leave(mutator, &spgc_runtime.heap);
  statistics->allocated_bytes += mutator->born_old_bytes;
  statistics->born_old_bytes += mutator->born_old_bytes;
  __atomic_store_n(&mutator->born_old_bytes, 0, __ATOMIC_RELAXED);
}

void spgc_mutator_retire(struct spgc_mutator *mutator) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  spgc_mutator_retire_tlab(mutator);
  heap->born_old_bytes -= spgc_born_old_return(heap, &mutator->born_old);
}

void spgc_mutator_drop_tlab(struct spgc_mutator *mutator) {
  spgc_runtime_lock_heap();
  spgc_mutator_retire_tlab(mutator);
  spgc_runtime_unlock_heap();
}
