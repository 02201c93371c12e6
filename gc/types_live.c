/* spgc/module.h: whether objects of a module's types are left. */
#include "gc/collect.h"
#include "gc/runtime.h"
#include "heap/census.h"
#include "spgc/module.h"
#include "support/fatal.h"

struct census {
  uintptr_t start, end;
  uint64_t count;
};

/* In one stop of the world, so that what is counted is what the collection left: a thread that allocates in between
 * would leave garbage of these types. */
static void collect_and_count(struct spgc_stopped_world world, void *context) {
  struct spgc_runtime *runtime = &spgc_runtime;
  struct census *census = context;
  spgc_collect_stopped(world, SPGC_COLLECTION_FULL);
  spgc_cycle_hold(&runtime->cycle);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_mutator_publish_area(mutator, &runtime->heap);
  census->count = spgc_census_count(&runtime->heap, census->start, census->end);
  spgc_cycle_release(&runtime->cycle);
}

uint64_t spgc_types_live(const void *start, const void *end) {
  struct census census = {(uintptr_t)start, (uintptr_t)end, 0};
  if (!spgc_runtime.started)
    return 0;
  spgc_require(spgc_mutator_current != NULL, "spgc_types_live: the calling thread is not attached");
  while (!spgc_safepoint_run(collect_and_count, &census))
    continue;
  return census.count;
}
