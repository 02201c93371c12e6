#include "gc/safepoint.h"

#include "gc/collect.h"
#include "gc/runtime.h"
#include "spgc/generated.h"

static struct spgc_stopped_world stop_the_world(void) {
  struct spgc_stopped_world world = {spgc_mutator_self()};
  return world;
}

bool spgc_safepoint_collect(enum spgc_collection kind) {
  return spgc_collect_stopped(stop_the_world(), kind);
}

void spgc_collect(enum spgc_collection kind) {
  spgc_safepoint_collect(kind);
}

void spgc_poll_slow(void) {
  if (spgc_runtime.options.stress == SPGC_STRESS_NONE)
    spgc_mutator_self()->thread->poll = 0;
  else
    spgc_safepoint_collect(SPGC_COLLECTION_MINOR);
}
