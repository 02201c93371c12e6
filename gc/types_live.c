#include "gc/mutator/misuse.h"
#include "gc/mutator/safepoint.h"
#include "gc/state/runtime.h"
#include "heap/object.h"
#include "spgc/module.h"
#include "spgc/thread.h"

struct census {
  struct spgc_type_range *ranges;
  size_t range_count;
};

static void count_object(const struct census *census, struct spgc_ref object) {
  uintptr_t type = spgc_object_header(object);
  for (size_t i = 0; i < census->range_count; i++)
    census->ranges[i].count +=
        type - census->ranges[i].start < census->ranges[i].end - census->ranges[i].start;
}

/* After a full collection nothing is young, and every block is swept. */
static void count_all(const struct census *census, const struct spgc_heap *heap) {
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i)) {
    struct spgc_ref object = spgc_heap_first_object(heap, i);
    for (uintptr_t top = object.word + heap->blocks[i].top; object.word < top;
         object = spgc_object_next(object))
      count_object(census, object);
  }
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    count_object(census, spgc_heap_first_object(heap, i));
}

/* One stop does both, so that no thread leaves such objects as garbage in between. */
static void collect_and_count(struct spgc_stopped_world world, void *context) {
  spgc_collect_stopped(world, SPGC_COLLECTION_FULL, SPGC_REASON_MODULE);
  count_all(context, &spgc_runtime.heap);
}

static void *take_census(void *census) {
  spgc_any_thread_run_stopped(collect_and_count, census);
  return census;
}

bool spgc_types_count(struct spgc_type_range *ranges, size_t range_count) {
  struct census census = {ranges, range_count};
  spgc_require_use(ranges != NULL || range_count == 0, "no array of %zu ranges is given",
                   range_count);
  if (!spgc_runtime.started)
    return true;
  spgc_require_may_stop(__func__);
  /* A thread that unloads code may never have run managed code. */
  bool attaches = spgc_mutator_attached == NULL;
  struct spgc_error error;
  if (attaches && spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return false;
  if (spgc_mutator_current == NULL)
    spgc_call_managed(take_census, &census);
  else
    take_census(&census);
  if (attaches)
    spgc_thread_detach();
  return true;
}

uint64_t spgc_types_live(const void *start, const void *end) {
  struct spgc_type_range range = {(uintptr_t)start, (uintptr_t)end, 0};
  return spgc_types_count(&range, 1) ? range.count : UINT64_MAX;
}
