/* Managed code that clang or llc compiled without lowering calls spgc_allocate as C does, but no
 * stack map says where its references are. It crashes after its first collection. */
#include "gc/mutator/handles.h"
#include "gc/plan/collection.h"
#include "gc/roots/modules.h"
#include "gc/state/runtime.h"
#include "gc/weak/pin.h"
#include "support/log.h"

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
