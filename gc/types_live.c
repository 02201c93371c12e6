/* Counts the objects with a module's types. */
#include "gc/mutator/misuse.h"
#include "gc/mutator/request.h"
#include "gc/state/runtime.h"
#include "heap/census.h"
#include "spgc/module.h"
#include "spgc/thread.h"
#include "support/fatal.h"

struct census {
  struct spgc_type_range *ranges;
  size_t range_count;
};

/* Collects and counts in one stop of the world. Otherwise a thread could allocate objects of these
 * types in between and leave them as garbage. */
static void collect_and_count(struct spgc_stopped_world world, void *context) {
  struct spgc_runtime *runtime = &spgc_runtime;
  const struct census *census = context;
  spgc_collect_stopped(world, SPGC_COLLECTION_FULL, SPGC_REASON_MODULE);
  spgc_cycle_hold(&runtime->cycle);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_publish(&mutator->tlab);
  spgc_census_count(&runtime->heap, census->ranges, census->range_count);
  spgc_cycle_release(&runtime->cycle);
}

static void *take_census(void *census) {
  while (!spgc_safepoint_run(collect_and_count, census))
    continue;
  return census;
}

/* A thread that unloads code may never have run managed code, so it is attached for this. */
static bool attach_and_take_census(struct census *census) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return false;
  take_census(census);
  spgc_thread_detach();
  return true;
}

bool spgc_types_count(struct spgc_type_range *ranges, size_t range_count) {
  struct census census = {ranges, range_count};
  if (!spgc_runtime.started)
    return true;
  spgc_require_may_stop(__func__);
  if (spgc_mutator_attached == NULL)
    return attach_and_take_census(&census);
  if (spgc_mutator_current == NULL)
    spgc_call_managed(take_census, &census);
  else
    take_census(&census);
  return true;
}

uint64_t spgc_types_live(const void *start, const void *end) {
  struct spgc_type_range range = {(uintptr_t)start, (uintptr_t)end, 0};
  return spgc_types_count(&range, 1) ? range.count : UINT64_MAX;
}
