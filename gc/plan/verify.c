/* Verification of heap and roots together. */
#include "gc/plan/collection.h"

#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "support/fatal.h"

static enum spgc_result verify(struct spgc_stopped_world world, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_mutator_publish_tlab(mutator, &runtime->heap);
  runtime->check.is_marking = runtime->cycle.marker.active;
  enum spgc_result result = spgc_check_heap(&runtime->check, error);
  return result != SPGC_OK ? result : spgc_roots_check(world, &runtime->check, error);
}

void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when) {
  if (spgc_runtime.options.verify == SPGC_VERIFY_NONE)
    return;
  struct spgc_error error;
  enum spgc_result result = verify(world, &error);
  if (result == SPGC_ERROR_NO_MEMORY) /* for the check itself, so nothing is known about the heap */
    return;
  spgc_require(result == SPGC_OK, "%s the collection: %s", when, error.message);
}

struct verification {
  struct spgc_error *error;
  enum spgc_result result;
};

static void verify_stopped(struct spgc_stopped_world world, void *context) {
  struct verification *verification = context;
  spgc_cycle_hold(&spgc_runtime.cycle);
  verification->result = verify(world, verification->error);
  spgc_cycle_release(&spgc_runtime.cycle);
}

bool spgc_heap_verify(struct spgc_error *error) {
  struct verification verification = {.error = error};
  spgc_caller();
  spgc_require_may_stop(__func__);
  while (!spgc_safepoint_run(verify_stopped, &verification))
    continue;
  return verification.result == SPGC_OK;
}
