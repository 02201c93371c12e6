#include "gc/tlab/tlab.h"

#include "gc/state/runtime.h"
#include "support/min_max.h"

void spgc_tlab_create(struct spgc_tlab *tlab) {
  *tlab = (struct spgc_tlab){.thread = &spgc_thread, .block = SPGC_BLOCK_NONE};
  spgc_born_old_create(&tlab->born_old);
  spgc_sampler_begin(&tlab->sampler);
}

static void enter_sampler(struct spgc_sampler *sampler, uintptr_t start) {
  if (sampler->mean != 0)
    sampler->point = sampler->point < UINTPTR_MAX - start ? start + sampler->point : UINTPTR_MAX;
}

/* With an object of `bytes`, which is returned. */
static uintptr_t open_with(struct spgc_tlab *tlab, uintptr_t start, uintptr_t end, size_t bytes) {
  tlab->end = end;
  __atomic_store_n(&tlab->thread->cursor, start + bytes, __ATOMIC_RELEASE);
  enter_sampler(&tlab->sampler, start);
  spgc_tlab_raise_limit(tlab);
  return start;
}

uintptr_t spgc_tlab_allocate(struct spgc_tlab *tlab, size_t bytes) {
  uintptr_t object = tlab->thread->cursor;
  if (bytes > tlab->end - object)
    return 0;
  __atomic_store_n(&tlab->thread->cursor, object + bytes, __ATOMIC_RELAXED);
  spgc_tlab_raise_limit(tlab);
  return object;
}

uintptr_t spgc_tlab_allocate_in_block(struct spgc_tlab *tlab, uint32_t index, size_t bytes) {
  spgc_tlab_retire(tlab);
  uintptr_t start = spgc_heap_block_start(&spgc_runtime.heap, index);
  tlab->block = index;
  return open_with(tlab, start, start + SPGC_BLOCK_BYTES, bytes);
}

void spgc_tlab_raise_limit(struct spgc_tlab *tlab) {
  if (spgc_runtime.options.stress != SPGC_STRESS_NONE)
    return;
  uintptr_t cursor = tlab->thread->cursor;
  bool reaches_end = tlab->end - cursor <= SPGC_LARGEST_SMALL;
  uintptr_t limit = reaches_end ? tlab->end : cursor + SPGC_LARGEST_SMALL;
  tlab->thread->limit = spgc_min(limit, tlab->sampler.point);
}

void spgc_tlab_publish(struct spgc_tlab *tlab) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  uintptr_t cursor = tlab->thread->cursor;
  if (tlab->block != SPGC_BLOCK_NONE)
    heap->blocks[tlab->block].top = (uint32_t)(cursor - spgc_heap_block_start(heap, tlab->block));
  else
    spgc_born_old_publish(&tlab->born_old, cursor);
}

static void forget_cursor(struct spgc_tlab *tlab) {
  if (tlab->sampler.mean != 0)
    tlab->sampler.point -= tlab->thread->cursor;
  tlab->end = tlab->thread->limit = 0;
  __atomic_store_n(&tlab->thread->cursor, 0, __ATOMIC_RELEASE);
}

/* The closed hole's bytes are counted last: see spgc_tlab_uncounted. */
uintptr_t spgc_tlab_allocate_in_hole(struct spgc_tlab *tlab, size_t bytes) {
  struct spgc_born_old *born_old = &tlab->born_old;
  if (tlab->block != SPGC_BLOCK_NONE)
    spgc_tlab_drop(tlab);
  uintptr_t end = tlab->thread->cursor;
  size_t closed_bytes = tlab->born_old_bytes + (end - born_old->start);
  forget_cursor(tlab);
  bool has_hole = spgc_born_old_next_hole(&spgc_runtime.heap, born_old, end, bytes);
  __atomic_store_n(&tlab->born_old_bytes, closed_bytes, __ATOMIC_RELEASE);
  return has_hole ? open_with(tlab, born_old->start, born_old->limit, bytes) : 0;
}

void spgc_tlab_retire(struct spgc_tlab *tlab) {
  struct spgc_runtime *runtime = &spgc_runtime;
  size_t born_old_bytes = tlab->born_old_bytes;
  if (tlab->block != SPGC_BLOCK_NONE) {
    spgc_tlab_publish(tlab);
    runtime->statistics.allocated_bytes += runtime->heap.blocks[tlab->block].top;
  } else {
    born_old_bytes += tlab->thread->cursor - tlab->born_old.start;
    spgc_born_old_close(&runtime->heap, &tlab->born_old, tlab->thread->cursor);
  }
  tlab->block = SPGC_BLOCK_NONE;
  forget_cursor(tlab);
  runtime->statistics.allocated_bytes += born_old_bytes;
  runtime->statistics.born_old_bytes += born_old_bytes;
  __atomic_store_n(&tlab->born_old_bytes, 0, __ATOMIC_RELAXED);
}

void spgc_tlab_return_blocks(struct spgc_tlab *tlab) {
  struct spgc_heap *heap = &spgc_runtime.heap;
  heap->born_old_bytes -= spgc_born_old_return(heap, &tlab->born_old);
}

void spgc_tlab_retire_all(struct spgc_tlab *tlab) {
  spgc_tlab_retire(tlab);
  spgc_tlab_return_blocks(tlab);
}

void spgc_tlab_drop(struct spgc_tlab *tlab) {
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  spgc_tlab_retire(tlab);
}

/* 0 without a hole. Other threads may ask. */
static uintptr_t start_of(const struct spgc_tlab *tlab) {
  if (tlab->block != SPGC_BLOCK_NONE)
    return spgc_heap_block_start(&spgc_runtime.heap, tlab->block);
  return __atomic_load_n(&tlab->born_old.start, __ATOMIC_ACQUIRE);
}

/* Holes are closed without the heap lock. One that closes meanwhile is not counted: closed bytes
 * are read before start and cursor, which belong to one hole if the start did not change. */
struct spgc_uncounted spgc_tlab_uncounted(const struct spgc_tlab *tlab) {
  size_t closed = __atomic_load_n(&tlab->born_old_bytes, __ATOMIC_ACQUIRE);
  uintptr_t start = start_of(tlab),
            cursor = __atomic_load_n(&tlab->thread->cursor, __ATOMIC_ACQUIRE);
  bool agree = cursor >= start && cursor - start <= SPGC_BLOCK_BYTES && start_of(tlab) == start;
  size_t open_bytes = agree ? cursor - start : 0;
  bool is_block = tlab->block != SPGC_BLOCK_NONE;
  return (struct spgc_uncounted){closed + open_bytes, is_block ? closed : closed + open_bytes};
}

/* Only lowers it, because it is 0 in blocking regions. */
void spgc_tlab_change_sampler(struct spgc_tlab *tlab) {
  spgc_sampler_begin(&tlab->sampler);
  enter_sampler(&tlab->sampler, tlab->thread->cursor);
  tlab->thread->limit = spgc_min(tlab->thread->limit, tlab->sampler.point);
}
