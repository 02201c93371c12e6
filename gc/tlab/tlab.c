#include "gc/tlab/tlab.h"

#include "gc/events/events.h"
#include "gc/state/runtime.h"
#include "heap/blocks.h"
#include "heap/hole.h"
#include "support/clock.h"
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

/* ---- Requests ---- */

enum { NO_OBJECT = 0 };

static inline bool is_small(const struct spgc_request *request) {
  return request->bytes <= SPGC_LARGEST_SMALL;
}

static inline size_t blocks_of(const struct spgc_request *request) {
  return is_small(request) ? 1 : spgc_blocks_for(request->bytes);
}

static bool refuse(struct spgc_request *request, enum spgc_reason reason) {
  request->is_refused = true;
  request->reason = reason;
  return false;
}

/* Takes from above all reserves or, in the out-of-memory hook, from the thread's. Needs the heap
 * lock. */
static bool admit(struct spgc_request *request, struct spgc_reserve *reserve) {
  struct spgc_runtime *runtime = &spgc_runtime;
  size_t blocks = blocks_of(request);
  if (is_small(request) && spgc_pacer_asks_for_final_mark(&runtime->heap, &runtime->cycle))
    return refuse(request, SPGC_REASON_MARKING);
  if (!spgc_nursery_has_space(&runtime->policy.nursery, &runtime->heap, blocks))
    return refuse(request, is_small(request) ? SPGC_REASON_NURSERY : SPGC_REASON_LARGE);
  return spgc_reserve_admits(reserve, &runtime->policy.limit, &runtime->heap, request->hook_runs,
                             blocks, !is_small(request), &request->from_reserve) ||
         refuse(request, SPGC_REASON_LIMIT);
}

/* With an object of `bytes`, which is returned. */
static uintptr_t open_with(struct spgc_tlab *tlab, uintptr_t start, uintptr_t end, size_t bytes) {
  tlab->end = end;
  __atomic_store_n(&tlab->thread->cursor, start + bytes, __ATOMIC_RELEASE);
  enter_sampler(&tlab->sampler, start);
  spgc_tlab_raise_limit(tlab);
  return start;
}

static uintptr_t allocate_at_cursor(struct spgc_tlab *tlab, size_t bytes) {
  uintptr_t object = tlab->thread->cursor;
  if (bytes > tlab->end - object)
    return NO_OBJECT;
  __atomic_store_n(&tlab->thread->cursor, object + bytes, __ATOMIC_RELAXED);
  spgc_tlab_raise_limit(tlab);
  return object;
}

/* Without a TLAB, if the taken blocks have no hole of `bytes`, returns NO_OBJECT. The closed hole's
 * bytes are counted last: see spgc_tlab_uncounted. */
static uintptr_t allocate_in_next_hole(struct spgc_tlab *tlab, size_t bytes) {
  struct spgc_born_old *born_old = &tlab->born_old;
  if (tlab->block != SPGC_BLOCK_NONE)
    spgc_tlab_drop(tlab);
  uintptr_t end = tlab->thread->cursor;
  size_t closed_bytes = tlab->born_old_bytes + (end - born_old->start);
  forget_cursor(tlab);
  bool has_hole = spgc_born_old_next_hole(&spgc_runtime.heap, born_old, end, bytes);
  __atomic_store_n(&tlab->born_old_bytes, closed_bytes, __ATOMIC_RELEASE);
  return has_hole ? open_with(tlab, born_old->start, born_old->limit, bytes) : NO_OBJECT;
}

static bool admits_holes(void) {
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  return spgc_nursery_admits_born_old(&spgc_runtime.policy.nursery, &spgc_runtime.heap);
}

/* With the option `born`, in a free block if none is recyclable. */
static bool take_holes(struct spgc_tlab *tlab, struct spgc_reserve *reserve,
                       struct spgc_request *request) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_heap *heap = &runtime->heap;
  const bool is_asked = runtime->options.born != SPGC_BORN_DEFAULT;
  if (!admits_holes())
    return refuse(request, SPGC_REASON_NURSERY);
  if (!spgc_recyclable_exist(heap) && !is_asked)
    return false;
  SPGC_CYCLE_HELD(&runtime->cycle);
  size_t bytes = spgc_born_old_take(heap, &tlab->born_old, request->bytes);
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  if (bytes == 0 && is_asked && admit(request, reserve) && !request->from_reserve)
    bytes = spgc_born_old_take_free(heap, &tlab->born_old);
  heap->born_old_bytes += bytes;
  request->taken_blocks += bytes / SPGC_BLOCK_BYTES;
  return bytes != 0;
}

static uintptr_t allocate_in_hole(struct spgc_tlab *tlab, struct spgc_reserve *reserve,
                                  struct spgc_request *request) {
  uintptr_t object = allocate_in_next_hole(tlab, request->bytes);
  return object == NO_OBJECT && take_holes(tlab, reserve, request)
             ? allocate_in_next_hole(tlab, request->bytes)
             : object;
}

/* A large object in a run. */
static uintptr_t allocate_in_block(struct spgc_tlab *tlab, struct spgc_reserve *reserve,
                                   struct spgc_request *request) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct spgc_heap *heap = &runtime->heap;
  SPGC_LOCKED(SPGC_LOCK_HEAP);
  if (!admit(request, reserve))
    return NO_OBJECT;
  uint32_t index = is_small(request) ? spgc_blocks_take_nursery(heap)
                                     : spgc_blocks_take_run(heap, request->bytes);
  if (index == SPGC_BLOCK_NONE) {
    request->by_system = true;
    refuse(request, SPGC_REASON_LIMIT);
    return NO_OBJECT;
  }
  request->taken_blocks += blocks_of(request);
  if (request->from_reserve)
    spgc_reserve_use(reserve, &runtime->policy.limit, blocks_of(request));
  uintptr_t start = spgc_heap_block_start(heap, index);
  if (!is_small(request)) {
    runtime->statistics.allocated_bytes += request->bytes;
    return start;
  }
  spgc_tlab_retire(tlab);
  tlab->block = index;
  return open_with(tlab, start, start + SPGC_BLOCK_BYTES, request->bytes);
}

void spgc_tlab_serve(struct spgc_tlab *tlab, struct spgc_reserve *reserve,
                     struct spgc_request *request) {
  request->is_refused = request->by_system = false;
  request->object = is_small(request) ? allocate_at_cursor(tlab, request->bytes) : NO_OBJECT;
  if (request->object == NO_OBJECT && request->is_to_be_born_old)
    request->object = allocate_in_hole(tlab, reserve, request);
  if (request->object == NO_OBJECT && !request->is_refused)
    request->object = allocate_in_block(tlab, reserve, request);
  if (request->is_refused && request->reason == SPGC_REASON_LIMIT)
    SPGC_TELL(blocks_refused, spgc_blocks_refused_event,
              .bytes = blocks_of(request) * SPGC_BLOCK_BYTES,
              .by = request->by_system ? SPGC_REFUSED_BY_SYSTEM : SPGC_REFUSED_BY_LIMIT,
              .ns = spgc_clock_ns());
}
