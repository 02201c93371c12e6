#include "gc/verify.h"

#include "gc/roots.h"
#include "gc/runtime.h"
#include "support/fatal.h"

static enum spgc_result verify(struct spgc_stopped_world world, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  spgc_mutator_publish_area(world.mutators, &runtime->heap);
  enum spgc_result result = spgc_check_heap(&runtime->check, error);
  return result != SPGC_OK ? result : spgc_roots_check(world, &runtime->check, error);
}

void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when) {
  if (spgc_runtime.options.verify == SPGC_VERIFY_NONE)
    return;
  struct spgc_error error;
  enum spgc_result result = verify(world, &error);
  spgc_require(result == SPGC_OK, "%s the collection: %s", when, error.message);
}

bool spgc_heap_verify(struct spgc_error *error) {
  struct spgc_stopped_world world = {spgc_mutator_self()};
  return verify(world, error) == SPGC_OK;
}
