#include "gc/plan/collection.h"

#include <inttypes.h>

#include "gc/mutator/handles.h"
#include "gc/mutator/misuse.h"
#include "gc/roots/modules.h"
#include "gc/state/runtime.h"
#include "gc/weak/pin.h"
#include "support/fatal.h"
#include "support/log.h"

static enum spgc_result verify(struct spgc_stopped_world world, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_publish(&mutator->tlab);
  runtime->check.is_marking = runtime->cycle.marker.active;
  enum spgc_result result = spgc_check_heap(&runtime->check, error);
  return result == SPGC_OK ? spgc_roots_check(world, &runtime->check, error) : result;
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
  SPGC_CYCLE_HELD(&spgc_runtime.cycle);
  verification->result = verify(world, verification->error);
}

enum spgc_result spgc_heap_verify(struct spgc_error *error) {
  struct verification verification = {.error = error};
  spgc_caller();
  spgc_require_may_stop(__func__);
  spgc_any_thread_run_stopped(verify_stopped, &verification);
  return verification.result;
}

/* ---- Code that was not lowered ----
 *
 * Managed code compiled without lowering calls spgc_allocate as C does, but no stack map tells its
 * references. It crashes after its first collection. */

static bool is_for_memory(enum spgc_reason reason) {
  return reason == SPGC_REASON_NURSERY || reason == SPGC_REASON_LARGE ||
         reason == SPGC_REASON_LIMIT || reason == SPGC_REASON_STRESS;
}

static bool may_have_roots(struct spgc_stopped_world world) {
  for (const struct spgc_mutator *mutator = world.mutators; mutator != NULL;
       mutator = mutator->next)
    if (mutator->handles.height != 0 || mutator->fibers.count != 0)
      return true;
  return spgc_modules_were_registered() || spgc_ranges_exist() || spgc_global_handles_exist() ||
         spgc_pins_exist();
}

void spgc_tell_if_rootless(struct spgc_stopped_world world, const struct collection *collection) {
  static bool is_settled; /* written with the world stopped */
  if (is_settled || collection->young_bytes == 0 || !is_for_memory(collection->reason))
    return;
  is_settled = true;
  if (!may_have_roots(world))
    spgc_log_aloud("collection %" PRIu64 " finds no root: no lowered code is registered, and no "
                   "handle was made. So every object dies. If the program has managed code, it "
                   "was not lowered: use spgc-lower, or spgc_lower_module and spgc_jit_add. C "
                   "keeps objects in handles. See docs/debugging.md",
                   collection->number);
}
