#include "gc/plan/collection.h"

#include "gc/mutator/misuse.h"
#include "gc/plan/type_files.h"
#include "gc/state/runtime.h"
#include "heap/object.h"
#include "support/fatal.h"

/* The object's descriptor may have gone with its library. */
static void explain_header(struct spgc_error *error) {
  const struct spgc_runtime *runtime = &spgc_runtime;
  uintptr_t place = (uintptr_t)error->position;
  if (error->code == SPGC_ERROR_MALFORMED && place % SPGC_WORD_BYTES == 0 &&
      spgc_heap_contains(&runtime->heap, place))
    spgc_type_files_explain(&runtime->check, spgc_object_header((struct spgc_ref){place}), error);
}

static enum spgc_result verify(struct spgc_stopped_world world, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_publish(&mutator->tlab);
  runtime->check.is_marking = runtime->cycle.marker.active;
  struct spgc_error found;
  enum spgc_result result = spgc_check_heap(&runtime->check, &found);
  if (result == SPGC_OK) {
    spgc_type_files_note(&runtime->check);
    return spgc_roots_check(world, &runtime->check, error);
  }
  explain_header(&found);
  if (error != NULL)
    *error = found;
  return result;
}

void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when) {
  if (spgc_runtime.options.verify == SPGC_VERIFY_NONE)
    return;
  struct spgc_error error;
  enum spgc_result result = verify(world, &error);
  if (result == SPGC_ERROR_NO_MEMORY) /* the check lacked memory: nothing is known about the heap */
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

enum spgc_result spgc_heap_verify(struct spgc_error *error) {
  struct verification verification = {.error = error};
  spgc_caller();
  spgc_require_may_stop(__func__);
  while (!spgc_safepoint_run(verify_stopped, &verification))
    continue;
  return verification.result;
}
